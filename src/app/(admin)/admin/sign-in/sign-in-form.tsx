'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';
import { authClient, authResult } from '../auth-client.ts';
import { useFormError } from '../use-form-error.tsx';
import { CodeForm } from './code-form.tsx';
import { signInCopy } from './sign-in-copy.ts';

/** Password first; then, for those who turned it on, the code. */
export function SignInForm({ next }: { next: string }) {
  const router = useRouter();
  const [step, setStep] = useState<'password' | 'code'>('password');
  const [busy, setBusy] = useState(false);
  const { showError, errorNotice, clearError } = useFormError();

  function enter() {
    router.replace(next);
    router.refresh();
  }

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const email = String(data.get('email')).trim();
    const password = String(data.get('password'));
    if (!email || !password) return showError('Enter your e-mail address and your password.');
    setBusy(true);
    const result = await authResult(authClient.signIn.email({ email, password }));
    if (!result.problem && !(result.data && 'twoFactorRedirect' in result.data)) return enter();
    setBusy(false);
    if (result.problem) return showError(signInCopy(result.problem));
    clearError();
    setStep('code');
  }

  if (step === 'code') {
    return (
      <CodeForm
        onDone={enter}
        onOver={(message) => {
          setStep('password');
          showError(message);
        }}
      />
    );
  }
  return (
    <form method="post" noValidate onSubmit={signIn} aria-label="Sign in" className="grid gap-5">
      {errorNotice}
      <TextField id="email" name="email" type="email" label="E-mail" autoComplete="username" required />
      <TextField
        id="password"
        name="password"
        type="password"
        label="Password"
        autoComplete="current-password"
        required
      />
      <Button type="submit" size="large" className="w-full" busy={busy}>
        {busy ? 'Signing in…' : 'Sign in'}
      </Button>
    </form>
  );
}

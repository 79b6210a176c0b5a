'use client';

import { type FormEvent, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';
import { authClient } from '../auth-client.ts';
import { openAnew } from '../open-anew.ts';
import { useAuthCall } from '../use-auth-call.ts';
import { useFormError } from '../use-form-error.tsx';
import { CodeForm } from './code-form.tsx';
import { signInCopy } from './sign-in-copy.ts';

/** Password first; then, for those who turned it on, the code. */
export function SignInForm({ next }: { next: string }) {
  const [step, setStep] = useState<'password' | 'code'>('password');
  const { showError, errorNotice, clearError } = useFormError();
  const password = useAuthCall(
    (credentials: { email: string; password: string }) => authClient.signIn.email(credentials),
    {
      onDone: (data) => {
        if (!data || !('twoFactorRedirect' in data)) return enter();
        clearError();
        setStep('code');
      },
      onProblem: (problem) => showError(signInCopy(problem)),
    },
  );
  // The next page takes a moment to come.
  const busy = password.busy || password.done;

  const enter = () => openAnew(next);

  function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const email = String(data.get('email')).trim();
    const secret = String(data.get('password'));
    if (!email || !secret) return showError('Enter your e-mail address and your password.');
    password.run({ email, password: secret });
  }

  if (step === 'code') {
    return (
      <CodeForm
        onDone={enter}
        onRestart={(message) => {
          setStep('password');
          password.reset();
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

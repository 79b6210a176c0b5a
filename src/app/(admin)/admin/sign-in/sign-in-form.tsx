'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useRef, useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Notice } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { authClient } from '../auth-client.ts';
import { signInWords } from './sign-in-words.ts';

export function SignInForm({ noShop }: { noShop: boolean }) {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(
    noShop ? 'This account does not belong to any shop. Sign in with another one.' : undefined,
  );
  const alert = useRef<HTMLDivElement>(null);

  async function signIn(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const email = String(data.get('email')).trim();
    const password = String(data.get('password'));
    if (!email || !password) return complain('Enter your e-mail address and your password.');
    setBusy(true);
    const { error } = await authClient.signIn.email({ email, password }).catch(() => ({
      error: { status: 0, code: undefined },
    }));
    if (!error) {
      router.replace('/admin');
      return router.refresh();
    }
    setBusy(false);
    complain(signInWords(error));
  }

  function complain(words: string) {
    setProblem(words);
    // After the render, so that the words are there when the focus arrives.
    requestAnimationFrame(() => alert.current?.focus());
  }

  return (
    <form method="post" noValidate onSubmit={signIn} aria-label="Sign in" className="grid gap-5">
      <div ref={alert} tabIndex={-1} role="alert" className="rounded-xl outline-none">
        {problem && <Notice tone="danger" title={problem} />}
      </div>
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

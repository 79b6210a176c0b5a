'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { authClient, authResult } from '#app/(admin)/admin/auth-client.ts';
import { useFormError } from '#app/(admin)/admin/use-form-error.tsx';
import { api } from '#app/trpc/client.ts';
import { errorMessage } from '#app/trpc/error-message.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';

/** Name and password make the account; then it is signed in with them at once. */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const { showError, errorNotice } = useFormError();

  async function accept(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const [name, password] = [String(data.get('name')).trim(), String(data.get('password'))];
    setBusy(true);
    try {
      await api.account.accept.mutate({ token, name, password });
    } catch (error) {
      setBusy(false);
      return showError(errorMessage(error));
    }
    const { problem: refused } = await authResult(authClient.signIn.email({ email, password }));
    router.replace(refused ? '/admin/sign-in' : '/admin');
    router.refresh();
  }

  return (
    <form method="post" noValidate onSubmit={accept} aria-label="Join" className="grid gap-5">
      {errorNotice}
      {/* For password managers, which store the password under this name. */}
      <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
      <TextField id="name" name="name" label="Your name" autoComplete="name" maxLength={100} required />
      <TextField
        id="password"
        name="password"
        type="password"
        label="Choose a password"
        hint="At least 12 characters. A few words that belong to nobody else are good."
        autoComplete="new-password"
        required
      />
      <Button type="submit" size="large" className="w-full" busy={busy}>
        {busy ? 'Joining…' : 'Join'}
      </Button>
    </form>
  );
}

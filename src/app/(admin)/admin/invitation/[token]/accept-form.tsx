'use client';

import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { authClient, authResult } from '#app/(admin)/admin/auth-client.ts';
import { openAnew } from '#app/(admin)/admin/open-anew.ts';
import { useFormError } from '#app/(admin)/admin/use-form-error.tsx';
import { errorMessage } from '#app/trpc/error-message.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';

/** Creates the account with a name and a password, and signs in with them. */
export function AcceptForm({ token, email }: { token: string; email: string }) {
  const { showError, errorNotice } = useFormError();
  const accepting = useMutation(
    useTRPC().account.accept.mutationOptions({
      onError: (error) => showError(errorMessage(error)),
      onSuccess: async (_, { password }) => {
        const { problem: refused } = await authResult(authClient.signIn.email({ email, password }));
        openAnew(refused ? '/admin/sign-in' : '/admin');
      },
    }),
  );
  const busy = accepting.isPending || accepting.isSuccess;

  function accept(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    accepting.mutate({
      token,
      name: String(data.get('name')).trim(),
      password: String(data.get('password')),
    });
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
        hint="At least 12 characters. A few unrelated words work well."
        autoComplete="new-password"
        required
      />
      <Button type="submit" size="large" className="w-full" busy={busy}>
        {busy ? 'Joining…' : 'Join'}
      </Button>
    </form>
  );
}

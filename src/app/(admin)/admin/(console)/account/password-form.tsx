'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { authClient, authResult } from '#app/(admin)/admin/auth-client.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { accountCopy } from './account-copy.ts';

export function PasswordForm() {
  const router = useRouter();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [changed, setChanged] = useState(false);

  async function change(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const [currentPassword, newPassword] = [String(data.get('current')), String(data.get('new'))];
    setChanged(false);
    setFailure(undefined);
    if (newPassword.length < 12) return setFailure('The new password needs at least 12 characters.');
    setBusy(true);
    const { problem } = await authResult(
      authClient.changePassword({ currentPassword, newPassword, revokeOtherSessions: true }),
    );
    setBusy(false);
    if (problem) return setFailure(accountCopy(problem));
    setChanged(true);
    form.reset();
    router.refresh();
  }

  return (
    <form
      method="post"
      noValidate
      onSubmit={change}
      aria-label="Change password"
      className="grid max-w-md gap-4"
    >
      <TextField
        id="current"
        name="current"
        type="password"
        label="Present password"
        autoComplete="current-password"
      />
      <TextField
        id="new"
        name="new"
        type="password"
        label="New password"
        hint="At least 12 characters. A few words that belong to nobody else are good."
        autoComplete="new-password"
      />
      <div>
        <Button type="submit" tone="secondary" busy={busy}>
          Change password
        </Button>
      </div>
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="text-ok text-sm empty:hidden">
        {changed && 'Changed. Everywhere else you have been signed out.'}
      </p>
    </form>
  );
}

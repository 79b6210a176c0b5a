'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useRef, useState } from 'react';
import { authClient } from '#app/(admin)/admin/auth-client.ts';
import { useAuthCall } from '#app/(admin)/admin/use-auth-call.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';
import { accountCopy } from './account-copy.ts';
import { CodeField, readCode } from './code-field.tsx';

export function PasswordForm({ secondFactor }: { secondFactor: boolean }) {
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [tooShort, setTooShort] = useState(false);
  const { busy, done, problem, reset, run } = useAuthCall(
    ({ code, ...passwords }: { currentPassword: string; newPassword: string; code: string }) =>
      authClient.changePassword({
        ...passwords,
        revokeOtherSessions: true,
        fetchOptions: { body: { code } },
      }),
    {
      onDone: () => {
        form.current?.reset();
        router.refresh();
      },
    },
  );
  const failure = tooShort
    ? 'The new password needs at least 12 characters.'
    : problem && accountCopy(problem);

  function change(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const [currentPassword, newPassword] = [String(data.get('current')), String(data.get('new'))];
    reset();
    setTooShort(newPassword.length < 12);
    if (newPassword.length >= 12) run({ currentPassword, newPassword, code: readCode(data) });
  }

  return (
    <form
      ref={form}
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
        label="Current password"
        autoComplete="current-password"
      />
      <TextField
        id="new"
        name="new"
        type="password"
        label="New password"
        hint="At least 12 characters. A few unrelated words work well."
        autoComplete="new-password"
      />
      {secondFactor && <CodeField id="password-code" />}
      <div>
        <Button type="submit" tone="secondary" busy={busy}>
          Change password
        </Button>
      </div>
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="text-ok text-sm empty:hidden">
        {done && 'Changed. You have been signed out everywhere else.'}
      </p>
    </form>
  );
}

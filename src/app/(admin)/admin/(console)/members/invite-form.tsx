'use client';

import { type FormEvent, useRef } from 'react';
import { useConfirmedCommand } from '#app/(admin)/admin/use-confirmed-command.tsx';
import { useTRPC } from '#app/trpc/provider.tsx';
import { type RoleName, roleOptions } from '#ui/admin/role-copy.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { TextField } from '#ui/text-field.tsx';

/** `secondFactor`: whether the owner has one. */
export function InviteForm(props: { secondFactor: boolean }) {
  const form = useRef<HTMLFormElement>(null);
  const { busy, done, failure, input, run, confirmation } = useConfirmedCommand(
    props,
    useTRPC().people.invite.mutationOptions({ onSuccess: () => form.current?.reset() }),
  );

  function invite(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const email = String(data.get('email')).trim();
    const role = data.get('role') as RoleName;
    run({ email, role });
  }

  return (
    <form
      ref={form}
      method="post"
      noValidate
      onSubmit={invite}
      aria-label="Invite a member"
      className="grid gap-4"
    >
      <div className="grid gap-4 sm:grid-cols-[1fr_11rem_auto] sm:items-end">
        <TextField id="invite-email" name="email" type="email" label="E-mail" autoComplete="off" required />
        <SelectField
          id="invite-role"
          name="role"
          label="Role"
          defaultValue="operator"
          options={roleOptions}
        />
        <Button type="submit" className="min-h-12" busy={busy}>
          Send invitation
        </Button>
      </div>
      {failure && <InlineError>{failure}</InlineError>}
      <p role="status" className="text-ok text-sm empty:hidden">
        {done && input && `An invitation to ${input.email} is on its way.`}
      </p>
      {confirmation}
    </form>
  );
}

'use client';

import { type FormEvent, useState } from 'react';
import { useConfirmedAction } from '#app/(admin)/admin/use-confirmed-action.tsx';
import { api } from '#app/trpc/client.ts';
import { type RoleName, roleOptions } from '#ui/admin/role-copy.ts';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { SelectField } from '#ui/select-field.tsx';
import { TextField } from '#ui/text-field.tsx';

/** `secondFactor`: whether the owner has one. */
export function InviteForm(props: { secondFactor: boolean }) {
  const { busy, failure, run, confirmation } = useConfirmedAction(props);
  const [sent, setSent] = useState<string>();

  async function invite(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const data = new FormData(form);
    const email = String(data.get('email')).trim();
    const role = data.get('role') as RoleName;
    setSent(undefined);
    await run(
      () => api.people.invite.mutate({ email, role }),
      () => {
        setSent(email);
        form.reset();
      },
    );
  }

  return (
    <form method="post" noValidate onSubmit={invite} aria-label="Invite a member" className="grid gap-4">
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
        {sent && `An invitation to ${sent} is on its way.`}
      </p>
      {confirmation}
    </form>
  );
}

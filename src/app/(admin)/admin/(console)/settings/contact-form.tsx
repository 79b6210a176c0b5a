'use client';

import type { FormEvent } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';
import { useConfirmedCommand } from '../../use-confirmed-command.tsx';

export function ContactForm(props: { email: string | null; readOnly: boolean; secondFactor: boolean }) {
  const { email, readOnly } = props;
  const change = useConfirmedCommand(props, useTRPC().settings.setContact.mutationOptions());

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('contact')).trim();
    change.run({ email: typed === '' ? null : typed });
  }

  return (
    <form method="post" noValidate onSubmit={save} aria-label="Contact" className="grid gap-4">
      {change.confirmation}
      <div className="grid gap-4 sm:grid-cols-[1fr_auto] sm:items-end">
        <TextField
          id="contact"
          name="contact"
          type="email"
          label="E-mail for questions"
          autoComplete="off"
          readOnly={readOnly}
          defaultValue={email ?? ''}
          error={change.failure}
        />
        {!readOnly && (
          <Button type="submit" tone="secondary" className="min-h-12" busy={change.busy}>
            Save contact
          </Button>
        )}
      </div>
      <p role="status" className="text-ok text-sm empty:hidden">
        {change.done && 'Saved.'}
      </p>
    </form>
  );
}

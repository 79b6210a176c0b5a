'use client';

import { useMutation } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import type { FormEvent } from 'react';
import { errorMessage } from '#app/trpc/error-message.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';

export function ContactForm({ email, readOnly }: { email: string | null; readOnly: boolean }) {
  const router = useRouter();
  const change = useMutation(
    useTRPC().settings.setContact.mutationOptions({ onSuccess: () => router.refresh() }),
  );

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = String(new FormData(event.currentTarget).get('contact')).trim();
    if (!change.isPending) change.mutate({ email: typed === '' ? null : typed });
  }

  return (
    <form method="post" noValidate onSubmit={save} aria-label="Contact" className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-[1fr_auto] sm:items-end">
        <TextField
          id="contact"
          name="contact"
          type="email"
          label="E-mail for questions"
          autoComplete="off"
          readOnly={readOnly}
          defaultValue={email ?? ''}
          error={change.error ? errorMessage(change.error) : undefined}
        />
        {!readOnly && (
          <Button type="submit" tone="secondary" className="min-h-12" busy={change.isPending}>
            Save contact
          </Button>
        )}
      </div>
      <p role="status" className="text-ok text-sm empty:hidden">
        {change.isSuccess && 'Saved.'}
      </p>
    </form>
  );
}

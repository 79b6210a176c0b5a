'use client';

import { type FormEvent, useState } from 'react';
import { useAction } from '#app/(admin)/admin/use-action.ts';
import { api } from '#app/trpc/client.ts';
import { SecretOnce } from '#ui/admin/secret-once.tsx';
import { Button } from '#ui/button.tsx';
import { InlineError } from '#ui/notice.tsx';
import { TextField } from '#ui/text-field.tsx';

export function CreateKeyForm() {
  const { busy, failure, run } = useAction();
  const [made, setMade] = useState<{ id: string; name: string; token: string }>();

  async function create(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const name = String(new FormData(form).get('name')).trim();
    const created = await run(() => api.apiKeys.create.mutate({ name }));
    if (!created) return;
    setMade({ name, ...created.done });
    form.reset();
  }

  return (
    <div className="grid gap-5">
      {made && (
        <SecretOnce key={made.id} title={`The key “${made.name}”`} secret={made.token} label="Copy the key">
          Keep it where your program finds it, and nowhere else. It is not shown again; a lost one is revoked
          and replaced.
        </SecretOnce>
      )}
      <form method="post" noValidate onSubmit={create} aria-label="New key" className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-[1fr_auto] sm:items-end">
          <TextField
            id="key-name"
            name="name"
            label="Name"
            placeholder="Till in the front shop"
            maxLength={60}
            autoComplete="off"
            required
          />
          <Button type="submit" className="min-h-12" busy={busy}>
            Create key
          </Button>
        </div>
        {failure && <InlineError>{failure}</InlineError>}
      </form>
    </div>
  );
}

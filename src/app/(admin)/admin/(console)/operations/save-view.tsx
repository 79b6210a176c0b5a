'use client';

import { useRouter } from 'next/navigation';
import { type FormEvent, useRef, useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';
import { Sheet } from '../keys/dialog.tsx';
import { savedCopy } from './saved-copy.ts';

export function SaveView({ open, query, onClose }: { open: boolean; query: string; onClose: () => void }) {
  const router = useRouter();
  const form = useRef<HTMLFormElement>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name === '') return setError('A view needs a name.');
    setBusy(true);
    const problem = await savedCopy(() => api.views.save.mutate({ name, query }));
    setBusy(false);
    setError(problem);
    if (problem) return;
    onClose();
    router.refresh();
  }

  return (
    <Sheet open={open} onClose={onClose} title="Save this view">
      <form ref={form} onSubmit={onSubmit} className="grid gap-5 px-5 pb-5" noValidate>
        <TextField
          id="view-name"
          name="name"
          label="Name"
          maxLength={60}
          autoComplete="off"
          error={error}
          hint="It is yours alone, and opens with these filters and this order."
        />
        <div className="flex gap-2">
          <Button type="submit" busy={busy}>
            Save
          </Button>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </Sheet>
  );
}

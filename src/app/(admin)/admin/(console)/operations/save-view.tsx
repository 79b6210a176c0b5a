'use client';

import { type FormEvent, useRef, useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { Button } from '#ui/button.tsx';
import { TextField } from '#ui/text-field.tsx';
import { Sheet } from '../shortcuts/sheet.tsx';
import { savedCopy } from './saved-copy.ts';

export function SaveView({ open, query, onClose }: { open: boolean; query: string; onClose: () => void }) {
  const form = useRef<HTMLFormElement>(null);
  const [isNameless, setNameless] = useState(false);
  const saving = useCommand(
    useTRPC().views.save.mutationOptions({ onSuccess: (saved) => saved.kind === 'saved' && onClose() }),
  );
  const error = isNameless ? 'A view needs a name.' : (savedCopy(saving.result) ?? saving.failure);

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    setNameless(name === '');
    if (name !== '') saving.run({ name, query });
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
          hint="Only you can see it. It opens with these filters and this order."
        />
        <div className="flex gap-2">
          <Button type="submit" busy={saving.busy}>
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

'use client';

import { Trash2 } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { View } from '#console/operations-list/saved-views.ts';
import { Button } from '#ui/button.tsx';
import { Sheet } from '../shortcuts/sheet.tsx';
import { savedCopy } from './saved-copy.ts';

export function ManageViews(props: { open: boolean; views: readonly View[]; onClose: () => void }) {
  return (
    <Sheet open={props.open} onClose={props.onClose} title="Your views">
      <ul className="grid gap-3 overflow-y-auto px-5 pb-5">
        {props.views.map((view) => (
          <ManagedView key={view.id} view={view} />
        ))}
        {props.views.length === 0 && <li className="text-ink-soft text-sm">No views.</li>}
      </ul>
    </Sheet>
  );
}

function ManagedView({ view }: { view: View }) {
  const trpc = useTRPC();
  const renaming = useCommand(trpc.views.rename.mutationOptions());
  const removing = useCommand(trpc.views.delete.mutationOptions());
  const [isNameless, setNameless] = useState(false);
  const message = isNameless
    ? 'A view needs a name.'
    : (renaming.failure ?? removing.failure ?? savedCopy(renaming.result) ?? (renaming.done && 'Renamed.'));

  function rename(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    setNameless(name === '');
    if (name !== '') renaming.run({ id: view.id, name });
  }

  return (
    <li>
      <form onSubmit={rename} className="flex gap-2">
        <input
          name="name"
          aria-label={`Name of ${view.name}`}
          defaultValue={view.name}
          maxLength={60}
          autoComplete="off"
          className="min-h-11 min-w-0 flex-1 rounded-lg border border-line-strong bg-surface px-3 text-base sm:text-sm pointer-fine:min-h-9"
        />
        <Button type="submit" tone="secondary" size="small">
          Rename
        </Button>
        <Button
          tone="quiet"
          size="small"
          onClick={() => removing.run({ id: view.id })}
          aria-label={`Delete ${view.name}`}
        >
          <Trash2 className="size-4" aria-hidden="true" />
        </Button>
      </form>
      <p role="status" className="mt-1 text-ink-soft text-xs empty:hidden">
        {message}
      </p>
    </li>
  );
}

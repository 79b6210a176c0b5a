'use client';

import { Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useState } from 'react';
import { api } from '#app/trpc/client.ts';
import type { View } from '#console/operations-list/saved-views.ts';
import { Button } from '#ui/button.tsx';
import { Sheet } from '../keys/dialog.tsx';
import { savedCopy } from './saved-copy.ts';

export function ManageViews(props: { open: boolean; views: readonly View[]; onClose: () => void }) {
  return (
    <Sheet open={props.open} onClose={props.onClose} title="Your views">
      <ul className="grid gap-3 overflow-y-auto px-5 pb-5">
        {props.views.map((view) => (
          <ManagedView key={view.id} view={view} />
        ))}
        {props.views.length === 0 && <li className="text-ink-soft text-sm">There are none left.</li>}
      </ul>
    </Sheet>
  );
}

function ManagedView({ view }: { view: View }) {
  const router = useRouter();
  const [message, setMessage] = useState<string>();

  async function rename(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name') ?? '').trim();
    if (name === '') return setMessage('A view needs a name.');
    const problem = await savedCopy(() => api.views.rename.mutate({ id: view.id, name }));
    setMessage(problem ?? 'Renamed.');
    if (!problem) router.refresh();
  }

  async function remove() {
    try {
      await api.views.delete.mutate({ id: view.id });
      router.refresh();
    } catch (error) {
      setMessage(error instanceof Error ? error.message : 'The server did not answer.');
    }
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
        <Button tone="quiet" size="small" onClick={remove} aria-label={`Delete ${view.name}`}>
          <Trash2 className="size-4" aria-hidden="true" />
        </Button>
      </form>
      <p role="status" className="mt-1 text-ink-soft text-xs empty:hidden">
        {message}
      </p>
    </li>
  );
}

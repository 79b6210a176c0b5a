'use client';

import { useEffect, useState } from 'react';
import { formatMoney } from '#payments/money.ts';
import { consoleRooms } from '#ui/admin/console-sections.ts';
import { statusLooks } from '#ui/admin/status-badge.tsx';
import { api } from '#app/trpc/client.ts';

export interface Command {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly does: { readonly href: string } | 'help';
}

const rooms: readonly Command[] = consoleRooms.map(({ href, name }) => ({
  id: href.replaceAll('/', '-'),
  name,
  kind: 'Page',
  does: { href },
}));

const actions: readonly Command[] = [
  { id: 'help', name: 'Keyboard shortcuts', kind: 'Action', does: 'help' },
  { id: 'docs', name: 'API reference', kind: 'Page', does: { href: '/docs' } },
];

/** Shorter, everything would match. */
const leastToSearch = 3;
/** A person types a letter every eighth of a second or so. */
const pauseMs = 150;

/** What a line of text may lead to: pages, views and actions by their name, operations by whatever they are called. */
export function usePaletteCommands(typed: string): { commands: readonly Command[]; looking: boolean } {
  const views = useViews();
  const { found, looking } = useOperations(typed.trim());
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const named = [...rooms, ...views, ...actions].filter(({ name }) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  const search: readonly Command[] =
    typed.trim() === ''
      ? []
      : [
          {
            id: 'search',
            name: `Search operations for “${typed.trim()}”`,
            kind: 'Search',
            does: { href: `/admin/operations?q=${encodeURIComponent(typed.trim())}` },
          },
        ];
  return { commands: [...found, ...named, ...search], looking };
}

function useViews(): readonly Command[] {
  const [views, setViews] = useState<readonly Command[]>([]);
  useEffect(() => {
    const stopped = new AbortController();
    api.views.list.query(undefined, { signal: stopped.signal }).then(
      ({ own, builtIn }) =>
        setViews(
          [...own, ...builtIn].map(({ id, name, query }) => ({
            id: `view-${id}`,
            name,
            kind: 'View',
            does: { href: `/admin/operations?${query}` },
          })),
        ),
      // Without them the rest still works.
      () => undefined,
    );
    return () => stopped.abort();
  }, []);
  return views;
}

function useOperations(typed: string): { found: readonly Command[]; looking: boolean } {
  const [answer, setAnswer] = useState<{ typed: string; found: readonly Command[] }>({
    typed: '',
    found: [],
  });
  const wanted = typed.length >= leastToSearch ? typed : '';
  useEffect(() => {
    if (wanted === '') return;
    const stopped = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const filter = { search: wanted, sort: 'newest' as const };
        const { operations } = await api.operations.list.query(
          { filter, limit: 6 },
          { signal: stopped.signal },
        );
        const found = operations.map(({ id, key, status, payment }) => ({
          id: `operation-${id}`,
          name: payment
            ? `${payment.reference} · ${formatMoney(payment.amount)}`
            : `Operation with key ${key}`,
          kind: statusLooks[status].word,
          does: { href: `/admin/operations/${id}` },
        }));
        setAnswer({ typed: wanted, found });
      } catch {
        if (!stopped.signal.aborted) setAnswer({ typed: wanted, found: [] });
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [wanted]);
  return wanted === answer.typed
    ? { found: wanted === '' ? [] : answer.found, looking: false }
    : { found: [], looking: wanted !== '' };
}

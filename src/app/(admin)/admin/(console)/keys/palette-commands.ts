'use client';

import { useEffect, useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { formatMoney } from '#payments/money.ts';
import { consoleSections } from '#ui/admin/console-sections.ts';
import { statusStyles } from '#ui/admin/status-badge.tsx';

export interface Command {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly does: { readonly href: string } | 'help';
}

const sections: readonly Command[] = consoleSections.map(({ href, name }) => ({
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
/** Slightly longer than the pause between two typed letters. */
const pauseMs = 150;

/** The commands for a typed text: pages, views and actions by their name, operations by any of their identifiers. */
export function usePaletteCommands(typed: string): { commands: readonly Command[]; searching: boolean } {
  const views = useViews();
  const { found, searching } = useOperations(typed.trim());
  const terms = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const named = [...sections, ...views, ...actions].filter(({ name }) =>
    terms.every((term) => name.toLowerCase().includes(term)),
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
  return { commands: [...found, ...named, ...search], searching };
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

function useOperations(typed: string): { found: readonly Command[]; searching: boolean } {
  const [result, setResult] = useState<{ typed: string; found: readonly Command[] }>({
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
          kind: statusStyles[status].label,
          does: { href: `/admin/operations/${id}` },
        }));
        setResult({ typed: wanted, found });
      } catch {
        if (!stopped.signal.aborted) setResult({ typed: wanted, found: [] });
      }
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stopped.abort();
    };
  }, [wanted]);
  return wanted === result.typed
    ? { found: wanted === '' ? [] : result.found, searching: false }
    : { found: [], searching: wanted !== '' };
}

'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
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
  {
    id: 'endpoints',
    name: 'Webhook endpoints',
    kind: 'Page',
    does: { href: '/admin/settings/endpoints' },
  },
  { id: 'docs', name: 'API reference', kind: 'Page', does: { href: '/docs' } },
];

/** Shorter, everything would match. */
const minSearchLength = 3;
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
  // Without them the rest still works.
  const { data } = useQuery(useTRPC().views.list.queryOptions());
  return [...(data?.own ?? []), ...(data?.builtIn ?? [])].map(({ id, name, query }) => ({
    id: `view-${id}`,
    name,
    kind: 'View',
    does: { href: `/admin/operations?${query}` },
  }));
}

function useOperations(typed: string): { found: readonly Command[]; searching: boolean } {
  const search = useUnchanged(typed.length >= minSearchLength ? typed : '');
  const { data, isFetching } = useQuery({
    ...useTRPC().operations.list.queryOptions(
      { filter: { search, sort: 'newest' }, limit: 6 },
      { trpc: { abortOnUnmount: true } },
    ),
    enabled: search !== '',
    // The same text a moment later may find more.
    staleTime: 0,
  });
  const isBehind = typed.length >= minSearchLength && search !== typed;
  const found = (search === '' || isBehind ? [] : (data?.operations ?? [])).map(
    ({ id, key, status, payment }) => ({
      id: `operation-${id}`,
      name: payment ? `${payment.reference} · ${formatMoney(payment.amount)}` : `Operation with key ${key}`,
      kind: statusStyles[status].label,
      does: { href: `/admin/operations/${id}` },
    }),
  );
  return { found, searching: isBehind || isFetching };
}

/** The text once it has not changed for a moment, so that not every letter is a request. */
function useUnchanged(text: string): string {
  const [unchanged, setUnchanged] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setUnchanged(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return unchanged;
}

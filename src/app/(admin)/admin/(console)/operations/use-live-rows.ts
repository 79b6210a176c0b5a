'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTRPC } from '#app/trpc/provider.tsx';
import type { OperationFilter } from '#console/operations-list/operation-filter.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { useChanges } from '../changes.tsx';

export type Row = RouterOutputs['operations']['compare']['shown'][number];

export interface LiveRows {
  /** As they were rendered, with what their badges show now: a row whose text grew would move the others. */
  readonly rows: readonly Row[];
  /** Rows that belong on this page by now and are not on it. */
  readonly newCount: number;
  /** Rows that another operator or the worker has changed since the page was rendered. */
  readonly changed: ReadonlySet<string>;
  /** A change by this operator, which is not counted as an update. */
  patch(id: string, change: Partial<Row>): void;
}

export interface Watched {
  readonly rows: readonly Row[];
  readonly filter: OperationFilter;
  readonly place: { readonly after?: string | undefined; readonly before?: string | undefined };
}

/** How often the rows are read while there is no stream, and after a read that failed. */
const pollMs = 5_000;

/**
 * Keeps rows current without moving them: a change is shown in its row, new rows are only counted. The stream of changes
 * says when to read; while there is none, the query reads by itself.
 */
export function useLiveRows({ rows: base, filter, place }: Watched): LiveRows {
  const queryClient = useQueryClient();
  const ids = base.map(({ id }) => id);
  const rendered = { page: ids, shown: [...base] };
  // What was read before the server rendered these rows says nothing about them.
  const [since, setSince] = useState({ base, at: 0 });
  if (since.base !== base) setSince({ base, at: Date.now() });
  const [own, setOwn] = useState<{ readonly of: readonly Row[]; readonly ids: ReadonlySet<string> }>();
  const options = useTRPC().operations.compare.queryOptions({ filter, ...place, ids });
  const isLive = useRef(false);
  const query = useQuery({
    ...options,
    initialData: rendered,
    staleTime: Number.POSITIVE_INFINITY,
    // A read that a change asked for may fail, such as without a network, and the stream does not ask for it again.
    refetchInterval: ({ state }) => (isLive.current && state.status !== 'error' ? false : pollMs),
    refetchOnWindowFocus: 'always',
  });
  const { live } = useChanges(() => void query.refetch());
  useEffect(() => {
    isLive.current = live;
  }, [live]);

  const data = query.dataUpdatedAt > since.at ? query.data : rendered;
  const mine = own?.of === base ? own.ids : new Set<string>();
  const now = new Map(data.shown.map((row) => [row.id, row]));
  const here = new Set(ids);
  const isChanged = (row: Row) => !mine.has(row.id) && isOther(row, now.get(row.id) ?? row);
  return {
    rows: base.map((row) => withStatus(row, now.get(row.id) ?? row)),
    newCount: data.page.filter((id) => !here.has(id)).length,
    changed: new Set(base.filter(isChanged).map(({ id }) => id)),
    patch(id, change) {
      setOwn({ of: base, ids: new Set(mine).add(id) });
      const shown = data.shown.map((row) => (row.id === id ? { ...row, ...change } : row));
      queryClient.setQueryData(options.queryKey, { ...data, shown });
    },
  };
}

/** The row as it was rendered, with what its badge shows now. */
function withStatus(row: Row, { status, payment }: Row): Row {
  return {
    ...row,
    status,
    payment: row.payment && { ...row.payment, status: payment?.status ?? row.payment.status },
  };
}

function isOther(one: Row, other: Row): boolean {
  return one.status !== other.status || one.escalated !== other.escalated || one.attempt !== other.attempt;
}

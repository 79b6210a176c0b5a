'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import type { OperationFilter } from '#console/operations-list/operation-filter.ts';
import { api } from '#app/trpc/client.ts';

type Compared = Awaited<ReturnType<typeof api.operations.compare.query>>;
export type Row = Compared['shown'][number];

export interface LiveRows {
  /** As they came in, but for their status, which is what it is now: a row whose text grew would push the others. */
  readonly rows: readonly Row[];
  /** Rows that belong on this page by now and are not on it. */
  readonly newCount: number;
  /** Rows that are no longer what they were when the page came, by somebody else's doing. */
  readonly changed: ReadonlySet<string>;
  /** What the operator did to a row is no news to them. */
  patch(id: string, change: Partial<Row>): void;
}

export interface Watched {
  readonly rows: readonly Row[];
  readonly filter: OperationFilter;
  readonly place: { readonly after?: string | undefined; readonly before?: string | undefined };
}

/** Without the stream this is asked every so often; with it, at once and not more than that. */
const pollMs = 5_000;
const settleMs = 300;

/**
 * Keeps rows true without moving them: what changed is shown in its place, what is new is only counted. The server's
 * stream says when to look; while there is no stream, a clock does.
 */
export function useLiveRows({ rows: base, filter, place }: Watched): LiveRows {
  const [now, setNow] = useState<ReadonlyMap<string, Row>>(new Map());
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const [newCount, setNewCount] = useState(0);
  const given = useRef(base);

  // The server has answered anew: that is the truth to start from.
  if (given.current !== base) {
    given.current = base;
    setNow(new Map());
    setOwn(new Set());
    setNewCount(0);
  }

  const look = useCallback(async () => {
    if (document.hidden) return;
    const ids = base.map(({ id }) => id);
    try {
      const compared = await api.operations.compare.query({ filter, ...place, ids });
      if (given.current !== base) return;
      const here = new Set(ids);
      setNow(new Map(compared.shown.map((row) => [row.id, row])));
      setNewCount(compared.page.filter((id) => !here.has(id)).length);
    } catch {
      // The next hint, or the next tick of the clock, looks again.
    }
  }, [base, filter, place]);

  useHints(filter.shop, look);

  const rows = base.map((row) => ({ ...row, status: now.get(row.id)?.status ?? row.status }));
  const changed = new Set(
    base.filter((row) => !own.has(row.id) && isOther(row, now.get(row.id) ?? row)).map(({ id }) => id),
  );
  return {
    rows,
    newCount,
    changed,
    patch(id, change) {
      const row = now.get(id) ?? base.find((one) => one.id === id);
      if (!row) return;
      setOwn((before) => new Set(before).add(id));
      setNow((before) => new Map(before).set(id, { ...row, ...change }));
    },
  };
}

function isOther(one: Row, other: Row): boolean {
  return one.status !== other.status || one.escalated !== other.escalated || one.attempt !== other.attempt;
}

/** Calls `look` soon after something of the shop changed. */
function useHints(shop: string | undefined, look: () => Promise<void>): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  }, [look]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let streaming = false;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current();
      }, settleMs);
    };
    const stream = api.operations.changes.subscribe(
      { shop },
      {
        onData: soon,
        onConnectionStateChange({ state }) {
          streaming = state === 'pending';
          // What happened while there was no stream was not heard.
          if (streaming) soon();
        },
        onError: () => {
          streaming = false;
        },
      },
    );
    const clock = setInterval(() => !streaming && soon(), pollMs);
    document.addEventListener('visibilitychange', soon);
    return () => {
      stream.unsubscribe();
      clearInterval(clock);
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', soon);
    };
  }, [shop]);
}

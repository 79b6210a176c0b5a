'use client';

import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '#app/trpc/client.ts';
import type { OperationFilter } from '#console/operations-list/operation-filter.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type Row = RouterOutputs['operations']['compare']['shown'][number];

export interface LiveRows {
  /** As they were rendered, with their current status: a row whose text grew would move the others. */
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

/** The interval without the stream; with it, several changes within the second one are read together. */
const pollMs = 5_000;
const debounceMs = 300;

/**
 * Keeps rows current without moving them: a change is shown in its row, new rows are only counted. The server's stream
 * says when to read; while there is no stream, a timer does.
 */
export function useLiveRows({ rows: base, filter, place }: Watched): LiveRows {
  const [now, setNow] = useState<ReadonlyMap<string, Row>>(new Map());
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set());
  const [newCount, setNewCount] = useState(0);
  const given = useRef(base);

  // The server has rendered the page again: its rows are current.
  if (given.current !== base) {
    given.current = base;
    setNow(new Map());
    setOwn(new Set());
    setNewCount(0);
  }

  const compare = useCallback(async () => {
    if (document.hidden) return;
    const ids = base.map(({ id }) => id);
    try {
      const compared = await api.operations.compare.query({ filter, ...place, ids });
      if (given.current !== base) return;
      const here = new Set(ids);
      setNow(new Map(compared.shown.map((row) => [row.id, row])));
      setNewCount(compared.page.filter((id) => !here.has(id)).length);
    } catch {
      // The next event of the stream, or the next tick of the timer, reads again.
    }
  }, [base, filter, place]);

  useChangeEvents(filter.shop, compare);

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

/** Calls `onChange` soon after an operation of the shop changed. */
function useChangeEvents(shop: string | undefined, onChange: () => Promise<void>): void {
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  }, [onChange]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let streaming = false;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void latest.current();
      }, debounceMs);
    };
    const stream = api.operations.changes.subscribe(
      { shop },
      {
        onData: soon,
        onConnectionStateChange({ state }) {
          streaming = state === 'pending';
          // Changes while there was no stream were missed.
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

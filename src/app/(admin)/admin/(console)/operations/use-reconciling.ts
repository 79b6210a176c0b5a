'use client';

import { TRPCClientError } from '@trpc/client';
import { useRef, useState } from 'react';
import { api, unbatched } from '#app/trpc/client.ts';
import { type BulkResult, bulkFindingOf, refusedFinding } from './bulk-copy.ts';
import { type Finding, statusAfter } from './reconciled.ts';
import type { Row } from './use-live-rows.ts';

export type Progress =
  | { readonly kind: 'waiting' | 'running' }
  | { readonly kind: 'done' | 'skipped' | 'failed'; readonly finding: Finding };

/** So many requests at a time; the server limits the rate of those to the provider. */
const concurrency = 4;

/** Reconciles one row or many, each with a result of its own. A failure does not stop the others. */
export function useReconciling(options: {
  readonly tenantId: string;
  readonly bulkId: string;
  readonly onFound: (id: string, change: Partial<Row>) => void;
}) {
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map());
  const running = useRef(new Set<string>());
  const put = (id: string, one: Progress) => setProgress((before) => new Map(before).set(id, one));

  async function reconcile(row: Row, send: () => Promise<BulkResult>): Promise<void> {
    put(row.id, { kind: 'running' });
    try {
      const found = await send();
      put(row.id, {
        kind: found.kind === 'skipped' ? 'skipped' : 'done',
        finding: bulkFindingOf(found, row.operation),
      });
      if (found.kind !== 'skipped') options.onFound(row.id, { status: statusAfter(row.status, found) });
    } catch (error) {
      const forbidden = error instanceof TRPCClientError && error.data?.code === 'FORBIDDEN';
      put(row.id, { kind: forbidden ? 'skipped' : 'failed', finding: refusedFinding(error) });
    }
    running.current.delete(row.id);
  }

  const oneOfMany = (row: Row) =>
    api.operations.reconcileOneOfMany.mutate({ operationId: row.id, bulkId: options.bulkId }, unbatched);

  return {
    progress,
    one(row: Row): void {
      if (running.current.has(row.id)) return;
      running.current.add(row.id);
      const here = row.tenantId === options.tenantId;
      void reconcile(row, () =>
        here ? api.operation.reconcile.mutate({ operationId: row.id }, unbatched) : oneOfMany(row),
      );
    },
    async many(rows: readonly Row[]): Promise<void> {
      const waiting = rows.filter(({ id }) => !running.current.has(id));
      for (const { id } of waiting) {
        running.current.add(id);
        put(id, { kind: 'waiting' });
      }
      const work = async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) {
          const next = row;
          await reconcile(next, () => oneOfMany(next));
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
    },
    forget: () => setProgress(new Map()),
  };
}

'use client';

import { useMutation } from '@tanstack/react-query';
import { TRPCClientError } from '@trpc/client';
import { useRef, useState } from 'react';
import { unbatched } from '#app/trpc/client.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { type BulkResult, bulkNoticeOf, errorNotice } from './bulk-copy.ts';
import { type ResultNotice, statusAfter } from './result-notice.ts';
import type { Row } from './use-live-rows.ts';

export type Progress =
  | { readonly kind: 'waiting' | 'running' }
  | {
      readonly kind: 'done' | 'skipped' | 'failed';
      readonly notice: ResultNotice;
      /** One of many: their results are summed up. */
      readonly bulk: boolean;
    };

/** So many requests at a time; the server limits the rate of those to the provider. */
const concurrency = 4;

/** Reconciles one row or many, each with a result of its own. A failure does not stop the others. */
export function useReconciling(options: {
  readonly tenantId: string;
  readonly bulkId: string;
  readonly onFound: (id: string, change: Partial<Row>) => void;
}) {
  const trpc = useTRPC();
  const single = useMutation(trpc.operation.reconcile.mutationOptions({ trpc: unbatched }));
  const ofMany = useMutation(trpc.operations.reconcileOneOfMany.mutationOptions({ trpc: unbatched }));
  const [progress, setProgress] = useState<ReadonlyMap<string, Progress>>(new Map());
  const running = useRef(new Set<string>());
  const update = (id: string, one: Progress) => setProgress((before) => new Map(before).set(id, one));

  async function reconcile(row: Row, bulk: boolean, send: () => Promise<BulkResult>): Promise<void> {
    update(row.id, { kind: 'running' });
    try {
      const found = await send();
      update(row.id, {
        kind: found.kind === 'skipped' ? 'skipped' : 'done',
        notice: bulkNoticeOf(found, row.operation),
        bulk,
      });
      if (found.kind !== 'skipped') options.onFound(row.id, { status: statusAfter(row.status, found) });
    } catch (error) {
      const forbidden = error instanceof TRPCClientError && error.data?.code === 'FORBIDDEN';
      update(row.id, { kind: forbidden ? 'skipped' : 'failed', notice: errorNotice(error), bulk });
    }
    running.current.delete(row.id);
  }

  const oneOfMany = (row: Row) => ofMany.mutateAsync({ operationId: row.id, bulkId: options.bulkId });

  return {
    progress,
    one(row: Row): void {
      if (running.current.has(row.id)) return;
      running.current.add(row.id);
      const here = row.tenantId === options.tenantId;
      void reconcile(row, false, () => (here ? single.mutateAsync({ operationId: row.id }) : oneOfMany(row)));
    },
    async many(rows: readonly Row[]): Promise<void> {
      const waiting = rows.filter(({ id }) => !running.current.has(id));
      for (const { id } of waiting) {
        running.current.add(id);
        update(id, { kind: 'waiting' });
      }
      const work = async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) {
          const next = row;
          await reconcile(next, true, () => oneOfMany(next));
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
    },
    forget: () => setProgress(new Map()),
  };
}

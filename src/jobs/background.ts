import { type IdempotencyStore, type RetentionStep, reap } from '#idempotency/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type DueWork, purgeEventPayloads, startWorkLoop } from '#reconciliation/index.ts';
import type { Log } from './log.ts';

/** How many unknown outcomes one worker checks at the same time. */
const pollConcurrency = 8;
/** Short rests: reading an empty queue is one index scan, and a shopper may be waiting for the outcome. */
const pollRestMs = 500;
const sweepRestMs = 1_000;
/** Nothing waits for the reaper. */
const reapRestMs = 60_000;

export interface BackgroundParts {
  readonly db: PrismaClient;
  readonly store: IdempotencyStore<Prisma.TransactionClient>;
  readonly dueWork: DueWork;
  readonly log: Log;
  onReaped(rows: Readonly<Record<RetentionStep, number>>): void;
  /** Deletes the activity that no chart shows any more. */
  pruneActivity(): Promise<void>;
}

/** What a worker does besides its jobs. Any number of workers may do it: the database gives each row to one of them. */
export function startBackground(parts: BackgroundParts): { stop(): Promise<void> } {
  const { db, store, dueWork, log } = parts;
  // The failure of one operation is reported where it happens; this is for the whole round, such as a lost database.
  const onError = (what: string) => (error: unknown) => log.error({ err: error }, `${what} failed`);
  const loops = [
    startWorkLoop({
      work: () => dueWork.poll(pollConcurrency),
      restMs: pollRestMs,
      onError: onError('poller'),
    }),
    startWorkLoop({ work: () => dueWork.sweep(), restMs: sweepRestMs, onError: onError('sweeper') }),
    startWorkLoop({
      async work() {
        const reaped = await reap(store);
        await parts.pruneActivity();
        await purgeEventPayloads(db);
        parts.onReaped(reaped);
        if (Object.values(reaped).some((count) => count > 0)) log.info(reaped, 'reaped');
        return 0;
      },
      restMs: reapRestMs,
      onError: onError('reaper'),
    }),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

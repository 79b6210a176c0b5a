import { reap } from '#idempotency/index.ts';
import { purgeEventPayloads, startWorkLoop } from '#reconciliation/index.ts';
import { pruneActivity } from '#server/observability/activity.ts';
import type { House } from '#server/services.ts';

/** How many unknown outcomes one worker looks into at the same time. */
const pollConcurrency = 8;
/** Short rests: a look into an empty queue is one index scan, and somebody may be waiting for the answer. */
const pollRestMs = 500;
const sweepRestMs = 1_000;
/** Nobody waits for the reaper. */
const reapRestMs = 60_000;

/** What a worker does besides its jobs. Any number of workers may do it: the database hands each row to one of them. */
export function startBackground({ db, dueWork, store, metrics, log }: House): { stop(): Promise<void> } {
  // What fails for one operation is told by name, where it fails; here it is the round as a whole, such as a database away.
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
        await pruneActivity(db);
        await purgeEventPayloads(db);
        metrics.reaped(reaped);
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

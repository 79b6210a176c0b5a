import { type IdempotencyStore, type RetentionStep, reap } from '#idempotency/index.ts';
import type { Listener } from '#idempotency/stores/postgres.ts';
import { closeExpected, type EventFollower, outboxTopic, type PaymentProvider } from '#payments/index.ts';
import { relayBatchSize } from '#payments/outbox/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import {
  type ComparisonParts,
  compareIfReplaced,
  createEventListing,
  type DueWork,
  type EventListParts,
  purgeEventPayloads,
  type Reconciler,
} from '#reconciliation/index.ts';
import type { Log } from './log.ts';
import { createSlots } from './slots.ts';
import { startWorkLoop } from './work-loop.ts';

/** How many unknown outcomes one worker checks at the same time. */
const checkConcurrency = 8;
/** A shopper may be waiting for the outcome. All loops together make fewer than three statements a second while idle. */
const pollRestMs = 1_000;
/** A lease lasts for many seconds, and the request that retries finds an expired one by itself. */
const sweepRestMs = 2_000;
/** Operations that complete wake the relay. This is for refunds that a bank returned, and for processes that died first. */
const relayRestMs = 10_000;
/** Receipts and merchants' webhooks can wait for a moment, in which events gather that share a transaction. */
const relayGatherMs = 100;
/** Also how exactly it is known what a promoted standby may lack. Payments wait for the comparison that it may take. */
const noteRestMs = 2_000;
/** Whether a listing is due: each comes a quarter of an hour after the other. */
const eventListRestMs = 60_000;
/** Nothing waits for the reaper. */
const reapRestMs = 60_000;

export interface BackgroundParts {
  readonly db: PrismaClient;
  readonly store: IdempotencyStore<Prisma.TransactionClient>;
  readonly dueWork: DueWork;
  readonly provider: PaymentProvider;
  readonly reconciler: Reconciler;
  readonly follower: EventFollower;
  readonly receiveEvent: EventListParts['receiveEvent'];
  readonly settings: ComparisonParts['settings'];
  readonly listener: Pick<Listener, 'subscribe'>;
  /** Takes a batch of the outbox's events to their consumers. */
  relay(): Promise<number>;
  readonly log: Log;
  onMissedEvents: EventListParts['onMissed'];
  onReaped(rows: Readonly<Record<RetentionStep, number>>): void;
  /** Deletes the activity that no chart shows any more. */
  pruneActivity(): Promise<void>;
}

/** What a worker does besides its jobs. Any number of workers may do it: the database gives each row to one of them. */
export function startBackground(parts: BackgroundParts): { stop(): Promise<void> } {
  const { db, store, dueWork, log } = parts;
  // The failure of one operation is reported where it happens; this is for the whole round, such as a lost database.
  const onError = (what: string) => (error: unknown) => log.error({ err: error }, `${what} failed`);
  const relayLoop = startWorkLoop({
    async work() {
      const taken = await parts.relay();
      // A batch that was not full was the last one; the next event wakes the loop.
      return taken < relayBatchSize ? 0 : taken;
    },
    restMs: relayRestMs,
    gatherMs: relayGatherMs,
    onError: onError('relay'),
  });
  const unsubscribe = parts.listener.subscribe({
    onNotified: (topic) => {
      if (topic === outboxTopic) relayLoop.wake();
    },
    onMissed: relayLoop.wake,
  });
  const checks = createSlots(checkConcurrency);
  const takeListedEvents = createEventListing({
    ...parts,
    onMissed(events) {
      parts.onMissedEvents(events);
      log.warn(events, "events without a webhook were taken from the provider's list");
    },
  });
  const loops = [
    relayLoop,
    startWorkLoop({
      work: () => checks.fill(dueWork.beginChecks),
      restMs: pollRestMs,
      onError: onError('poller'),
    }),
    startWorkLoop({
      async work() {
        const compared = await compareIfReplaced(parts);
        if (compared) log.warn(compared, 'the database was replaced; compared with the provider');
        return 0;
      },
      restMs: noteRestMs,
      onError: onError('comparison with the provider'),
    }),
    startWorkLoop({
      work: takeListedEvents,
      restMs: eventListRestMs,
      onError: onError("reading the provider's list of events"),
    }),
    startWorkLoop({ work: () => dueWork.sweep(), restMs: sweepRestMs, onError: onError('sweeper') }),
    startWorkLoop({
      async work() {
        const reaped = await reap(store);
        await parts.pruneActivity();
        await purgeEventPayloads(db);
        await closeExpected(db);
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
      unsubscribe();
      await Promise.all([checks.close(), ...loops.map((loop) => loop.stop())]);
    },
  };
}

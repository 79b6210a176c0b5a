import { beforeEach, describe, expect, test } from 'vitest';
import type { DueQueue, IdempotencyStore } from '../ports.ts';
import type { OperationRecord } from '../record.ts';
import { claim, move, must, reclaim } from './store-contract.ts';

export interface DueQueueUnderTest<Tx> {
  readonly store: IdempotencyStore<Tx>;
  /** Two, as two processes have them. */
  readonly queues: readonly [DueQueue, DueQueue];
  /** The time machine: all that was to come is nearer by this, and all that was is further back. */
  pass(ms: number): Promise<void>;
}

const holdMs = 30_000;

/** What the poller and the sweeper rely on, whatever the store is made of. `empty` gives a store with nothing in it. */
export function describeDueQueueContract<Tx>(
  name: string,
  empty: () => Promise<DueQueueUnderTest<Tx>>,
): void {
  describe(`the contract of the due queue, kept by ${name}`, () => {
    let store: IdempotencyStore<Tx>;
    let queue: DueQueue;
    let other: DueQueue;
    let pass: (ms: number) => Promise<void>;
    beforeEach(async () => {
      const opened = await empty();
      ({ store, pass } = opened);
      [queue, other] = opened.queues;
    });

    async function doubt(record: OperationRecord, reconcileInMs: number): Promise<OperationRecord> {
      return must(await store.move({ ...move(record, 'unknown'), reconcileInMs }));
    }
    const anUnknown = async (reconcileInMs = 0) => doubt(must(await store.insert(claim())), reconcileInMs);
    const ids = (records: readonly OperationRecord[]) => records.map(({ id }) => id).toSorted();

    /** Released and tried again, and unknown once more. */
    async function retried(record: OperationRecord, reconcileInMs = 0): Promise<OperationRecord> {
      await store.move(move(record, 'failed_retryable'));
      return doubt(must(await store.move(reclaim(record))), reconcileInMs);
    }

    test('a look is given out when its time has come and not before, and is counted', async () => {
      const { id } = await anUnknown(60_000);
      expect(await queue.take(10, holdMs)).toEqual([]);
      await pass(60_000);
      expect(await queue.take(10, holdMs)).toMatchObject([{ id, reconcileAttempts: 1 }]);
    });

    test('no more are given out than were asked for, those that waited longest first', async () => {
      const [late, later, latest] = [await anUnknown(3_000), await anUnknown(1_000), await anUnknown(2_000)];
      await pass(3_000);
      expect(ids(await queue.take(2, holdMs))).toEqual(ids([later, latest]));
      expect(ids(await queue.take(2, holdMs))).toEqual([late.id]);
    });

    test('two pollers at once are given each due operation once', async () => {
      const due = await Promise.all(Array.from({ length: 40 }, () => anUnknown()));
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, turn) => (turn % 2 ? queue : other).take(4, holdMs)),
      );
      // What a poller skipped because the other had its hands on it is there for the next round.
      for (let rest = await queue.take(4, holdMs); rest.length > 0; rest = await queue.take(4, holdMs)) {
        taken.push(rest);
      }
      expect(ids(taken.flat())).toEqual(ids(due));
    });

    test('a poller that was killed loses nothing: after the hold somebody else is given its looks', async () => {
      const { id } = await anUnknown();
      expect(await queue.take(1, holdMs)).toHaveLength(1);
      await pass(holdMs / 2);
      expect(await other.take(1, holdMs)).toEqual([]);
      await pass(holdMs / 2);
      expect(await other.take(1, holdMs)).toMatchObject([{ id, reconcileAttempts: 2 }]);
    });

    test('a postponed look comes when it was said to, and a settled operation is looked into no more', async () => {
      const [open, settled] = [await anUnknown(), await anUnknown()];
      const taken = await queue.take(2, holdMs);
      await store.move(move(settled, 'completed'));
      for (const record of taken) await queue.postpone(record, 300_000);
      await pass(200_000);
      expect(await queue.take(2, holdMs)).toEqual([]);
      await pass(100_000);
      expect(ids(await queue.take(2, holdMs))).toEqual([open.id]);
    });

    test('an escalated operation is nobody’s but a person’s, and that is said once', async () => {
      const record = await anUnknown();
      const told = await Promise.all([queue.escalate(record), other.escalate(record)]);
      expect(told.toSorted()).toEqual([false, true]);
      await pass(10 * 24 * 3_600_000);
      expect(await queue.take(1, holdMs)).toEqual([]);
      expect(await queue.hurry(1_000, holdMs)).toBe(0);
      expect(await queue.hasten(record.id, 0)).toBe(false);
    });

    test('the next attempt begins its schedule anew, also where the last one was escalated', async () => {
      const first = await anUnknown();
      for (let look = 1; look <= 3; look++) {
        await queue.take(1, 0);
        await pass(1);
      }
      expect(await store.findById(first.id)).toMatchObject({ reconcileAttempts: 3 });
      await queue.escalate(first);
      const second = await retried(first);
      expect(second).toMatchObject({ attempt: 2, reconcileAttempts: 0 });
      expect(await queue.take(1, holdMs)).toMatchObject([{ id: first.id, attempt: 2, reconcileAttempts: 1 }]);
      expect(await queue.escalate(second)).toBe(true);
    });

    test('whoever looked into an attempt that was superseded neither postpones nor escalates the next one', async () => {
      const first = await anUnknown();
      const second = await retried(first);
      await queue.postpone(first, 300_000);
      expect(await queue.escalate(first)).toBe(false);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id: second.id, attempt: 2 }]);
    });

    test('after an outage all later looks come within the spread, and not all at once', async () => {
      await Promise.all(Array.from({ length: 30 }, () => anUnknown(3_600_000)));
      const soon = await anUnknown(500);
      expect(await queue.hurry(20_000, holdMs)).toBe(30);
      await pass(1_000);
      const first = await queue.take(50, 3_600_000);
      expect(ids(first)).toContain(soon.id);
      expect(first.length).toBeLessThan(31);
      await pass(19_000);
      expect(first.length + (await queue.take(50, 3_600_000)).length).toBe(31);
    });

    test('whoever is looking is left alone when all others are hurried', async () => {
      const { id } = await anUnknown();
      expect(await queue.take(1, holdMs)).toMatchObject([{ id }]);
      expect(await other.hurry(20_000, holdMs)).toBe(0);
      await pass(20_000);
      expect(await other.take(1, holdMs)).toEqual([]);
    });

    test('a reader has the next look made now, at most once in a while, at no cost to the schedule', async () => {
      const { id } = await anUnknown();
      const [record] = await queue.take(1, holdMs);
      await queue.postpone(must(record), 3_600_000);
      expect(await queue.hasten(id, holdMs)).toBe(false);
      await pass(holdMs);
      const readers = await Promise.all([queue.hasten(id, holdMs), other.hasten(id, holdMs)]);
      expect(readers.toSorted()).toEqual([false, true]);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id, reconcileAttempts: 1 }]);
      expect(await queue.hasten(id, holdMs)).toBe(false);
    });

    test('however often somebody reads, the schedule goes on to its end: an extra look neither counts nor moves it', async () => {
      const { id } = await anUnknown();
      await queue.postpone(must((await queue.take(1, holdMs))[0]), 300_000);
      for (let read = 1; read <= 4; read++) {
        await pass(60_000);
        expect(await queue.hasten(id, holdMs)).toBe(true);
        const [extra] = await queue.take(1, holdMs);
        expect(extra).toMatchObject({ id, reconcileAttempts: 1 });
        await queue.postpone(must(extra), 300_000);
        expect(await queue.take(1, holdMs)).toEqual([]);
      }
      await pass(60_000);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id, reconcileAttempts: 2 }]);
    });

    test('a provider that comes and goes uses no schedule up: a look after an outage is an extra one', async () => {
      const { id } = await anUnknown();
      await queue.postpone(must((await queue.take(1, holdMs))[0]), 3_600_000);
      for (let outage = 1; outage <= 5; outage++) {
        expect(await queue.hurry(1_000, holdMs)).toBe(1);
        await pass(1_000);
        const [extra] = await queue.take(1, holdMs);
        expect(extra).toMatchObject({ id, reconcileAttempts: 1 });
        await queue.postpone(must(extra), 3_600_000);
      }
      await pass(3_600_000);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id, reconcileAttempts: 2 }]);
    });

    test('only owners that are silent past their lease are listed, the longest silent first', async () => {
      await store.insert(claim({ leaseMs: 60_000 }));
      const [b, a] = [
        await store.insert(claim({ leaseMs: 2_000 })),
        await store.insert(claim({ leaseMs: 1_000 })),
      ];
      const settled = must(await store.insert(claim({ leaseMs: 1_000 })));
      await store.move(move(settled, 'completed'));
      await pass(3_000);
      expect((await queue.expiredLeases(10)).map(({ id }) => id)).toEqual([must(a).id, must(b).id]);
      expect(await queue.expiredLeases(1)).toMatchObject([{ id: must(a).id, leaseExpired: true }]);
    });
  });
}

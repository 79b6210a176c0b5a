import { beforeEach, describe, expect, test } from 'vitest';
import type { CheckQueue, IdempotencyStore } from '../ports.ts';
import type { OperationRecord } from '../record.ts';
import { changed, claim, granted, must, reclaim, transition } from './store-contract.ts';

export interface CheckQueueUnderTest<Tx> {
  readonly store: IdempotencyStore<Tx>;
  /** Two queues on the same records, as two processes have. */
  readonly queues: readonly [CheckQueue, CheckQueue];
  /** Advances the store's clock, or moves every stored time back by as much. */
  advance(ms: number): Promise<void>;
}

const holdMs = 30_000;

/** The guarantees that the poller and the sweeper rely on. Every store must pass this suite. */
export function describeCheckQueueContract<Tx>(
  name: string,
  openEmpty: () => Promise<CheckQueueUnderTest<Tx>>,
): void {
  describe(`the check queue contract, kept by ${name}`, () => {
    let store: IdempotencyStore<Tx>;
    let queue: CheckQueue;
    let other: CheckQueue;
    let advance: (ms: number) => Promise<void>;
    beforeEach(async () => {
      const opened = await openEmpty();
      ({ store, advance } = opened);
      [queue, other] = opened.queues;
    });

    async function markUnknown(record: OperationRecord, checkInMs: number): Promise<OperationRecord> {
      return changed(store, { ...transition(record, 'unknown'), checkInMs });
    }
    const insertUnknown = async (checkInMs = 0, tenantId = 'acme') =>
      markUnknown(granted(await store.claim(claim({ tenantId }))), checkInMs);
    const ids = (records: readonly OperationRecord[]) => records.map(({ id }) => id).toSorted();

    /** Releases the record, claims it again, and marks the new attempt unknown. */
    async function retry(record: OperationRecord, checkInMs = 0): Promise<OperationRecord> {
      await store.transition(transition(record, 'failed_retryable'));
      return markUnknown(await changed(store, reclaim(record)), checkInMs);
    }

    test('a check can be taken when it is due and not before, and is counted', async () => {
      const { id } = await insertUnknown(60_000);
      expect(await queue.take(10, holdMs)).toEqual([]);
      await advance(60_000);
      expect(await queue.take(10, holdMs)).toMatchObject([{ id, checkCount: 1 }]);
    });

    test('no more checks are taken than the limit, the longest due first', async () => {
      const [third, first, second] = [
        await insertUnknown(3_000),
        await insertUnknown(1_000),
        await insertUnknown(2_000),
      ];
      await advance(3_000);
      expect(ids(await queue.take(2, holdMs))).toEqual(ids([first, second]));
      expect(ids(await queue.take(2, holdMs))).toEqual([third.id]);
    });

    test('one tenant’s many checks do not hold up another’s: they take turns, and the longest due of each is first', async () => {
      const many: OperationRecord[] = [];
      for (let due = 0; due < 6; due += 1) many.push(await insertUnknown(due));
      const [one, two] = [await insertUnknown(1_000, 'globex'), await insertUnknown(2_000, 'globex')];
      await advance(3_000);
      expect(ids(await queue.take(2, holdMs))).toEqual(ids([must(many[0]), one]));
      // Both are being checked, so the other tenant has had as many turns as this one.
      expect(ids(await queue.take(2, holdMs, [], ['acme', 'globex']))).toEqual(ids([must(many[1]), two]));
      const three = await insertUnknown(0, 'initech');
      expect(ids(await queue.take(1, holdMs, [], ['acme', 'acme']))).toEqual([three.id]);
      expect(ids(await queue.take(8, holdMs, [], ['acme', 'acme']))).toEqual(ids(many.slice(2)));
    });

    test('a check of a paused tenant stays due, and is taken when the tenant is no longer paused', async () => {
      const { id, tenantId } = await insertUnknown();
      expect(await queue.take(10, holdMs, [tenantId])).toEqual([]);
      expect(await queue.take(10, holdMs, ['another tenant'])).toMatchObject([{ id, checkCount: 1 }]);
    });

    test('two pollers at once take each due check once', async () => {
      const due = await Promise.all(Array.from({ length: 40 }, () => insertUnknown()));
      const taken = await Promise.all(
        Array.from({ length: 20 }, (_, poller) => (poller % 2 ? queue : other).take(4, holdMs)),
      );
      // A row that one poller skipped because the other had locked it is taken in the next round.
      for (let rest = await queue.take(4, holdMs); rest.length > 0; rest = await queue.take(4, holdMs)) {
        taken.push(rest);
      }
      expect(ids(taken.flat())).toEqual(ids(due));
    });

    test('the checks of a killed poller are taken by another one after the hold', async () => {
      const { id } = await insertUnknown();
      expect(await queue.take(1, holdMs)).toHaveLength(1);
      await advance(holdMs / 2);
      expect(await other.take(1, holdMs)).toEqual([]);
      await advance(holdMs / 2);
      expect(await other.take(1, holdMs)).toMatchObject([{ id, checkCount: 2 }]);
    });

    test('a postponed check is due at its new time, and a completed operation is never checked again', async () => {
      const [open, completed] = [await insertUnknown(), await insertUnknown()];
      const taken = await queue.take(2, holdMs);
      await store.transition(transition(completed, 'completed'));
      for (const record of taken) await queue.postpone(record, 300_000);
      await advance(200_000);
      expect(await queue.take(2, holdMs)).toEqual([]);
      await advance(100_000);
      expect(ids(await queue.take(2, holdMs))).toEqual([open.id]);
    });

    test('an operation is escalated once, and an escalated one is never due again', async () => {
      const record = await insertUnknown();
      const escalated = await Promise.all([queue.escalate(record), other.escalate(record)]);
      expect(escalated.toSorted()).toEqual([false, true]);
      await advance(10 * 24 * 3_600_000);
      expect(await queue.take(1, holdMs)).toEqual([]);
      expect(await queue.expediteAll(1_000, holdMs)).toBe(0);
      expect(await queue.expedite(record, 0)).toBe(false);
    });

    test('the next attempt starts its schedule again, also when the last one was escalated', async () => {
      const first = await insertUnknown();
      for (let check = 1; check <= 3; check++) {
        await queue.take(1, 0);
        await advance(1);
      }
      expect(await store.findById(first)).toMatchObject({ checkCount: 3 });
      await queue.escalate(first);
      const second = await retry(first);
      expect(second).toMatchObject({ attempt: 2, checkCount: 0 });
      expect(await queue.take(1, holdMs)).toMatchObject([{ id: first.id, attempt: 2, checkCount: 1 }]);
      expect(await queue.escalate(second)).toBe(true);
    });

    test('a check of a superseded attempt neither postpones nor escalates the next one', async () => {
      const first = await insertUnknown();
      const second = await retry(first);
      await queue.postpone(first, 300_000);
      expect(await queue.escalate(first)).toBe(false);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id: second.id, attempt: 2 }]);
    });

    test('under another tenant the same id is no record: nothing is postponed, escalated or expedited', async () => {
      const unknown = await insertUnknown();
      const otherTenant = { ...unknown, tenantId: 'other' };
      await queue.postpone(otherTenant, 300_000);
      expect(await queue.escalate(otherTenant)).toBe(false);
      await queue.postpone(must((await queue.take(1, holdMs))[0]), 300_000);
      await advance(holdMs);
      expect(await queue.expedite(otherTenant, 0)).toBe(false);
      expect(await queue.expedite(unknown, 0)).toBe(true);
    });

    test('expediting all moves every later check into the spread, and not to one moment', async () => {
      await Promise.all(Array.from({ length: 30 }, () => insertUnknown(3_600_000)));
      const soon = await insertUnknown(500);
      expect(await queue.expediteAll(20_000, holdMs)).toBe(30);
      await advance(1_000);
      const first = await queue.take(50, 3_600_000);
      expect(ids(first)).toContain(soon.id);
      expect(first.length).toBeLessThan(31);
      await advance(19_000);
      expect(first.length + (await queue.take(50, 3_600_000)).length).toBe(31);
    });

    test('expediting all leaves a check alone that is being made', async () => {
      const { id } = await insertUnknown();
      expect(await queue.take(1, holdMs)).toMatchObject([{ id }]);
      expect(await other.expediteAll(20_000, holdMs)).toBe(0);
      await advance(20_000);
      expect(await other.take(1, holdMs)).toEqual([]);
    });

    test('a reader makes a check due now, at most once per rest, and it is not counted', async () => {
      const unknown = await insertUnknown();
      const [record] = await queue.take(1, holdMs);
      await queue.postpone(must(record), 3_600_000);
      expect(await queue.expedite(unknown, holdMs)).toBe(false);
      await advance(holdMs);
      const readers = await Promise.all([queue.expedite(unknown, holdMs), other.expedite(unknown, holdMs)]);
      expect(readers.toSorted()).toEqual([false, true]);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id: unknown.id, checkCount: 1 }]);
      expect(await queue.expedite(unknown, holdMs)).toBe(false);
    });

    test('an expedited check neither counts nor moves the scheduled one, however often it is read', async () => {
      const unknown = await insertUnknown();
      const { id } = unknown;
      await queue.postpone(must((await queue.take(1, holdMs))[0]), 300_000);
      for (let read = 1; read <= 4; read++) {
        await advance(60_000);
        expect(await queue.expedite(unknown, holdMs)).toBe(true);
        const [extra] = await queue.take(1, holdMs);
        expect(extra).toMatchObject({ id, checkCount: 1 });
        await queue.postpone(must(extra), 300_000);
        expect(await queue.take(1, holdMs)).toEqual([]);
      }
      await advance(60_000);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id, checkCount: 2 }]);
    });

    test('checks after an outage are not counted: repeated outages do not use the schedule up', async () => {
      const { id } = await insertUnknown();
      await queue.postpone(must((await queue.take(1, holdMs))[0]), 3_600_000);
      for (let outage = 1; outage <= 5; outage++) {
        expect(await queue.expediteAll(1_000, holdMs)).toBe(1);
        await advance(1_000);
        const [extra] = await queue.take(1, holdMs);
        expect(extra).toMatchObject({ id, checkCount: 1 });
        await queue.postpone(must(extra), 3_600_000);
      }
      await advance(3_600_000);
      expect(await queue.take(1, holdMs)).toMatchObject([{ id, checkCount: 2 }]);
    });

    test('all expired leases are listed once, however many, and no others', async () => {
      await store.claim(claim({ leaseMs: 60_000 }));
      const claims = Array.from({ length: 250 }, () => store.claim(claim({ leaseMs: 1_000 })));
      const expired = (await Promise.all(claims)).map(granted);
      const completed = granted(await store.claim(claim({ leaseMs: 1_000 })));
      await store.transition(transition(completed, 'completed'));
      await advance(3_000);
      const listed = await Array.fromAsync(queue.expiredLeases());
      expect(listed.every(({ leaseExpired }) => leaseExpired)).toBe(true);
      expect(ids(listed)).toEqual(ids(expired));
    });
  });
}

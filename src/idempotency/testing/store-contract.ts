import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Claim, type IdempotencyStore, type Move, maxMisuseKinds } from '../ports.ts';
import { canMove, type OperationRecord, type Status, statuses } from '../record.ts';

export interface StoreUnderTest<Tx> {
  readonly store: IdempotencyStore<Tx>;
  close(): Promise<void>;
}

const because = { actor: 'test', cause: 'contract' };
const answer = { status: 201, body: new Uint8Array([1, 2, 3]), keyId: 'k1', schemaVersion: 1 };

/** What the engine relies on, whatever the store is made of. */
export function describeStoreContract<Tx>(name: string, open: () => Promise<StoreUnderTest<Tx>>): void {
  describe(`the store contract, kept by ${name}`, () => {
    let opened: StoreUnderTest<Tx>;
    let store: IdempotencyStore<Tx>;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const insert = async (over: Partial<Claim> = {}) => must(await store.insert(claim(over)));

    test('of fifty simultaneous claims of one key exactly one is granted', async () => {
      const same = claim();
      const granted = await Promise.all(Array.from({ length: 50 }, () => store.insert(same)));
      expect(granted.filter(Boolean)).toHaveLength(1);
      expect(await store.find(same)).toMatchObject({
        status: 'in_progress',
        attempt: 1,
        leaseExpired: false,
      });
    });

    test('the same key in another tenant or operation is another record', async () => {
      const first = await insert();
      expect(await store.insert(claim({ ...scopeOf(first), tenantId: 'other' }))).toBeDefined();
      expect(await store.insert(claim({ ...scopeOf(first), operation: 'other' }))).toBeDefined();
      expect(await store.insert(claim(scopeOf(first)))).toBeUndefined();
    });

    test('a lease has expired when the store says so, and not before', async () => {
      expect((await insert({ leaseMs: 0 })).leaseExpired).toBe(true);
      expect((await insert({ leaseMs: 60_000 })).leaseExpired).toBe(false);
    });

    test('a lease that has not expired cannot be taken for expired', async () => {
      const record = await insert({ leaseMs: 60_000 });
      const doubt: Move = { ...move(record, 'unknown'), reconcileInMs: 0 };
      expect(await store.move({ ...doubt, when: { ...doubt.when, leaseExpired: true } })).toBeUndefined();
      expect(await store.findById(record.id)).toMatchObject({ status: 'in_progress' });
    });

    test('a superseded attempt writes nothing, and its domain writes do not run', async () => {
      const first = await insert();
      await store.move(move(first, 'failed_retryable'));
      const second = must(await store.move(reclaim(first)));
      expect(second.attempt).toBe(2);

      let ran = false;
      const late = await store.move({ ...move(first, 'completed'), answer }, async () => {
        ran = true;
      });
      expect(late).toBeUndefined();
      expect(ran).toBe(false);
      expect(await store.findById(first.id)).toMatchObject({ status: 'in_progress', attempt: 2 });
    });

    test('of twenty simultaneous retries of a released key exactly one becomes the next attempt', async () => {
      const record = await insert();
      await store.move(move(record, 'failed_retryable'));
      const retries = await Promise.all(Array.from({ length: 20 }, () => store.move(reclaim(record))));
      expect(retries.filter(Boolean)).toMatchObject([{ status: 'in_progress', attempt: 2 }]);
    });

    test('domain writes that fail take the move with them', async () => {
      const record = await insert();
      const failing = store.move({ ...move(record, 'completed'), answer }, async () => {
        throw new Error('the domain says no');
      });
      await expect(failing).rejects.toThrow('the domain says no');
      expect(await store.findById(record.id)).toMatchObject({ status: 'in_progress', answer: undefined });
    });

    test('a stored answer comes back byte for byte', async () => {
      const record = await insert();
      await store.move({ ...move(record, 'completed'), answer, resource: { type: 'payment', id: 'p1' } });
      const stored = must(await store.findById(record.id));
      expect({ ...stored.answer, body: [...(stored.answer?.body ?? [])] }).toEqual({
        ...answer,
        body: [1, 2, 3],
      });
      expect(stored.resource).toEqual({ type: 'payment', id: 'p1' });
      expect(stored.completedAt).toBeInstanceOf(Date);
    });

    test('what was asked is kept field by field, as digests', async () => {
      const record = await insert({ fieldDigests: { amount: 'd1', card: 'd2' } });
      expect(await store.findById(record.id)).toMatchObject({ fieldDigests: { amount: 'd1', card: 'd2' } });
    });

    test('misuses of one kind are counted, not listed again', async () => {
      const record = await insert();
      const ways = [
        { kind: 'command', fields: ['amount'] },
        { kind: 'command', fields: ['amount', 'card'] },
        { kind: 'principal', fields: [] },
      ] as const;
      for (const way of [...ways, ways[0]]) await store.noteMisuse(record.id, way);
      const noted = await store.misusesOf(record.id);
      expect(noted).toHaveLength(3);
      expect(noted).toContainEqual({
        ...ways[0],
        times: 2,
        firstAt: expect.any(Date),
        lastAt: expect.any(Date),
      });
      expect(await store.misusesOf((await insert()).id)).toEqual([]);
    });

    test('fifty simultaneous misuses are one row that counts fifty', async () => {
      const record = await insert();
      const misuse = { kind: 'command', fields: ['amount'] } as const;
      await Promise.all(Array.from({ length: 50 }, () => store.noteMisuse(record.id, misuse)));
      expect(await store.misusesOf(record.id)).toMatchObject([{ times: 50 }]);
    });

    test('whoever misuses a key in ever new ways fills counters, not rows', async () => {
      const record = await insert();
      const tried = maxMisuseKinds + 15;
      for (let way = 0; way < tried; way++) {
        await store.noteMisuse(record.id, { kind: 'command', fields: [`field${way}`] });
      }
      const noted = await store.misusesOf(record.id);
      expect(noted.length).toBeLessThanOrEqual(maxMisuseKinds + 1);
      expect(noted.reduce((sum, { times }) => sum + times, 0)).toBe(tried);
      expect(noted.find(({ fields }) => fields.length === 0)).toMatchObject({ times: 15 });
    });

    test.each(statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => ({ from, to }))))(
      'from $from to $to: what the table of transitions says',
      async ({ from, to }) => {
        const record = await reach(store, await insert(), from);
        const step = store.move({
          ...move(record, to),
          ...(to === 'in_progress' && { nextAttempt: true, leaseMs: 1000 }),
        });
        if (canMove(from, to)) expect(await step).toMatchObject({ status: to });
        else await expect(step).rejects.toThrow();
      },
    );
  });
}

/** Leads a fresh record to a state by the shortest legal way. */
async function reach<Tx>(
  store: IdempotencyStore<Tx>,
  record: OperationRecord,
  to: Status,
): Promise<OperationRecord> {
  if (to === 'in_progress') return record;
  if (to !== 'expired') return must(await store.move(move(record, to)));
  const completed = must(await store.move(move(record, 'completed')));
  return must(await store.move(move(completed, 'expired')));
}

export function claim(over: Partial<Claim> = {}): Claim {
  return {
    tenantId: 'acme',
    operation: 'test.run',
    key: randomUUID(),
    fingerprint: 'f',
    fingerprintVersion: 1,
    fieldDigests: { amount: 'd' },
    principal: 'tester',
    leaseMs: 30_000,
    effectSent: false,
    ...over,
  };
}

export function move(record: OperationRecord, to: Status): Move {
  return {
    id: record.id,
    when: { status: [record.status], attempt: record.attempt },
    to,
    because,
    ...(to === 'completed' && { answer }),
    ...(to === 'unknown' && { reconcileInMs: 1000 }),
  };
}

export function reclaim(record: OperationRecord): Move {
  return {
    ...move(record, 'in_progress'),
    when: { status: ['failed_retryable'], attempt: record.attempt },
    nextAttempt: true,
    leaseMs: 30_000,
  };
}

function scopeOf({ tenantId, operation, key }: OperationRecord) {
  return { tenantId, operation, key };
}

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a record');
  return value;
}

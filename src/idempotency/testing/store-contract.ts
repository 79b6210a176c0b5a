import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationIdOf } from '../operation-id.ts';
import {
  type Claim,
  type Claimed,
  type IdempotencyStore,
  maxMisuseKinds,
  type Transition,
} from '../ports.ts';
import { isTransitionAllowed, type OperationRecord, type Status, statuses } from '../record.ts';

export interface StoreUnderTest<Tx> {
  readonly store: IdempotencyStore<Tx>;
  close(): Promise<void>;
}

const reason = { actor: 'test', cause: 'contract' };
const response = { status: 201, body: new Uint8Array([1, 2, 3]), keyId: 'k1', schemaVersion: 1 };

const circle: { self?: unknown } = {};
circle.self = circle;

/** The guarantees that the engine relies on. Every store must pass this suite. */
export function describeStoreContract<Tx>(name: string, open: () => Promise<StoreUnderTest<Tx>>): void {
  describe(`the store contract, kept by ${name}`, () => {
    let opened: StoreUnderTest<Tx>;
    let store: IdempotencyStore<Tx>;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const insert = async (over: Partial<Claim> = {}) => granted(await store.claim(claim(over)));

    test('of fifty simultaneous claims of one key exactly one is granted', async () => {
      const same = claim();
      const claimed = await Promise.all(Array.from({ length: 50 }, () => store.claim(same)));
      expect(claimed.filter((one) => one?.granted)).toHaveLength(1);
      expect(await store.findById(same)).toMatchObject({
        status: 'in_progress',
        attempt: 1,
        leaseExpired: false,
      });
    });

    test('a record is named by its tenant and its id: under another tenant the same id is no record', async () => {
      const record = await insert();
      const otherTenant = { ...record, tenantId: 'other' };
      const misuse = { kind: 'principal', fields: [] } as const;
      await store.recordMisuse(record, misuse);
      await store.recordMisuse(otherTenant, misuse);
      expect(await store.findById(otherTenant)).toBeUndefined();
      expect(await store.listMisuses(otherTenant)).toEqual([]);
      expect(await store.listMisuses(record)).toMatchObject([{ times: 1 }]);
      expect(await store.transition({ ...transition(record, 'completed'), record: otherTenant })).toBe(false);
      expect(await store.findById(record)).toMatchObject({ status: 'in_progress' });
    });

    test('an id in capitals names the same record, also beside others in one statement', async () => {
      const [record, other] = await Promise.all([insert(), insert()]);
      const inCapitals = { ...record, id: record.id.toUpperCase() };
      expect(await store.findById(inCapitals)).toEqual(await store.findById(record));
      expect(await Promise.all([store.findById(other), store.findById(inCapitals)])).toMatchObject([
        { id: other.id },
        { id: record.id },
      ]);
      expect(await store.transition({ ...transition(record, 'failed_retryable'), record: inCapitals })).toBe(
        true,
      );
    });

    test.each<[string, unknown]>([
      ['NUL', 'a\0b'],
      ['half of a surrogate pair', 'a\ud83d'],
      ['a BigInt', 1n],
      ['a circle', circle],
      ['a name with NUL', { 'a\0b': 1 }],
    ])('a verdict is written although it is explained with %s', async (_, unstorable) => {
      const record = await insert();
      const text = typeof unstorable === 'string' ? unstorable : 'test';
      const because = { actor: text, cause: text, evidence: { found: [unstorable] } };
      const resource = { type: text, id: text };
      const unknown = { ...transition(record, 'unknown'), errorCode: text, reason: because };
      expect(await store.transition(unknown)).toBe(true);
      const { when: _when, ...done } = transition(record, 'completed');
      const when = { status: ['unknown'] as const, attempt: 1 };
      expect(await store.transition({ ...done, when, resource, reason: because })).toBe(true);
      expect(await store.findById(record)).toMatchObject({ status: 'completed' });
    });

    test('the same key in another tenant or operation is another record', async () => {
      const first = await insert();
      const claimed = await Promise.all([
        store.claim(claim({ ...scopeOf(first), tenantId: 'other' })),
        store.claim(claim({ ...scopeOf(first), operation: 'other' })),
        store.claim(claim(scopeOf(first))),
      ]);
      expect(claimed).toMatchObject([{ granted: true }, { granted: true }, { granted: false }]);
      expect(claimed[2]?.record).toEqual(await store.findById(first));
    });

    test('whether a lease has expired is decided by the store’s clock', async () => {
      expect((await insert({ leaseMs: 0 })).leaseExpired).toBe(true);
      expect((await insert({ leaseMs: 60_000 })).leaseExpired).toBe(false);
    });

    test('a transition that requires an expired lease changes nothing while the lease is valid', async () => {
      const record = await insert({ leaseMs: 60_000 });
      const toUnknown: Transition = { ...transition(record, 'unknown'), checkInMs: 0 };
      expect(await store.transition({ ...toUnknown, when: { ...toUnknown.when, leaseExpired: true } })).toBe(
        false,
      );
      expect(await store.findById(record)).toMatchObject({ status: 'in_progress' });
    });

    test('a superseded attempt writes nothing, and its domain writes do not run', async () => {
      const first = await insert();
      await store.transition(transition(first, 'failed_retryable'));
      const second = await changed(store, reclaim(first));
      expect(second.attempt).toBe(2);

      let ran = false;
      const staleWrite = await store.transition({ ...transition(first, 'completed'), response }, async () => {
        ran = true;
      });
      expect(staleWrite).toBe(false);
      expect(ran).toBe(false);
      expect(await store.findById(first)).toMatchObject({ status: 'in_progress', attempt: 2 });
    });

    test('of twenty simultaneous retries of a released key exactly one becomes the next attempt', async () => {
      const record = await insert();
      await store.transition(transition(record, 'failed_retryable'));
      const retries = await Promise.all(Array.from({ length: 20 }, () => store.transition(reclaim(record))));
      expect(retries.filter(Boolean)).toHaveLength(1);
      expect(await store.findById(record)).toMatchObject({ status: 'in_progress', attempt: 2 });
    });

    test('domain writes that fail roll the transition back', async () => {
      const record = await insert();
      const failing = store.transition({ ...transition(record, 'completed'), response }, async () => {
        throw new Error('the domain write failed');
      });
      await expect(failing).rejects.toThrow('the domain write failed');
      expect(await store.findById(record)).toMatchObject({ status: 'in_progress', response: undefined });
    });

    test('a stored response is read back byte for byte', async () => {
      const record = await insert();
      await store.transition({
        ...transition(record, 'completed'),
        response,
        resource: { type: 'payment', id: 'p1' },
      });
      const stored = must(await store.findById(record));
      expect({ ...stored.response, body: [...(stored.response?.body ?? [])] }).toEqual({
        ...response,
        body: [1, 2, 3],
      });
      expect(stored.resource).toEqual({ type: 'payment', id: 'p1' });
      expect(stored.completedAt).toBeInstanceOf(Date);
    });

    test('the command is kept as one digest per field', async () => {
      const record = await insert({ fieldDigests: { amount: 'd1', card: 'd2' } });
      expect(await store.findById(record)).toMatchObject({ fieldDigests: { amount: 'd1', card: 'd2' } });
    });

    test('misuses of one kind are counted, not listed again', async () => {
      const record = await insert();
      const kinds = [
        { kind: 'command', fields: ['amount'] },
        { kind: 'command', fields: ['amount', 'card'] },
        { kind: 'principal', fields: [] },
      ] as const;
      for (const misuse of [...kinds, kinds[0]]) await store.recordMisuse(record, misuse);
      const recorded = await store.listMisuses(record);
      expect(recorded).toHaveLength(3);
      expect(recorded).toContainEqual({
        ...kinds[0],
        times: 2,
        firstAt: expect.any(Date),
        lastAt: expect.any(Date),
      });
      expect(await store.listMisuses(await insert())).toEqual([]);
    });

    test('fifty simultaneous misuses are one row that counts fifty', async () => {
      const record = await insert();
      const misuse = { kind: 'command', fields: ['amount'] } as const;
      await Promise.all(Array.from({ length: 50 }, () => store.recordMisuse(record, misuse)));
      expect(await store.listMisuses(record)).toMatchObject([{ times: 50 }]);
    });

    test('beyond the limit new kinds of misuse are counted together and add no rows', async () => {
      const record = await insert();
      const tried = maxMisuseKinds + 15;
      for (let kind = 0; kind < tried; kind++) {
        await store.recordMisuse(record, { kind: 'command', fields: [`field${kind}`] });
      }
      const recorded = await store.listMisuses(record);
      expect(recorded.length).toBeLessThanOrEqual(maxMisuseKinds + 1);
      expect(recorded.reduce((sum, { times }) => sum + times, 0)).toBe(tried);
      expect(recorded.find(({ fields }) => fields.length === 0)).toMatchObject({ times: 15 });
    });

    test.each(statuses.flatMap((from) => statuses.filter((to) => to !== from).map((to) => ({ from, to }))))(
      'from $from to $to is allowed or refused as the table of transitions says',
      async ({ from, to }) => {
        const record = await reach(store, await insert(), from);
        const step = store.transition({
          ...transition(record, to),
          ...(to === 'in_progress' && { nextAttempt: true, leaseMs: 1000 }),
        });
        if (!isTransitionAllowed(from, to)) return expect(step).rejects.toThrow();
        expect(await step).toBe(true);
        expect(await store.findById(record)).toMatchObject({ status: to });
      },
    );
  });
}

/** Moves a new record to a status by the fewest transitions. */
async function reach<Tx>(
  store: IdempotencyStore<Tx>,
  record: OperationRecord,
  to: Status,
): Promise<OperationRecord> {
  if (to === 'in_progress') return record;
  if (to !== 'expired') return changed(store, transition(record, to));
  const completed = await changed(store, transition(record, 'completed'));
  return changed(store, transition(completed, 'expired'));
}

export function claim(over: Partial<Claim> = {}): Claim {
  const scope = { tenantId: 'acme', operation: 'test.run', key: randomUUID(), ...over };
  return {
    ...scope,
    id: operationIdOf(scope),
    fingerprint: 'f',
    fingerprintVersion: 1,
    fieldDigests: { amount: 'd' },
    principal: 'tester',
    leaseMs: 30_000,
    effectSent: false,
    ...over,
  };
}

/** The record after a transition that has to succeed. */
export async function changed<Tx>(
  store: Pick<IdempotencyStore<Tx>, 'transition' | 'findById'>,
  change: Transition,
): Promise<OperationRecord> {
  expect(await store.transition(change)).toBe(true);
  return must(await store.findById(change.record));
}

export function transition(record: OperationRecord, to: Status): Transition {
  return {
    record,
    when: { status: [record.status], attempt: record.attempt },
    to,
    reason,
    ...(to === 'completed' && { response }),
    ...(to === 'unknown' && { checkInMs: 1000 }),
  };
}

export function reclaim(record: OperationRecord): Transition {
  return {
    ...transition(record, 'in_progress'),
    when: { status: ['failed_retryable'], attempt: record.attempt },
    nextAttempt: true,
    leaseMs: 30_000,
  };
}

function scopeOf({ tenantId, operation, key }: OperationRecord) {
  return { tenantId, operation, key };
}

export function granted(claimed: Claimed | undefined): OperationRecord {
  if (!claimed?.granted) throw new Error('expected a grant');
  return claimed.record;
}

export function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a record');
  return value;
}

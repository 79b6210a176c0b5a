import { describe, expect, test, vi } from 'vitest';
import { idempotencyProblems } from './problems.ts';
import type { OperationRecord } from './record.ts';
import { createEngineUnderTest, done, operation, request } from './testing/engine-under-test.ts';

const minute = 60_000;
const found = { kind: 'completed', status: 201, body: 'found out', cause: 'test' } as const;

function engineWith(policy: Parameters<typeof createEngineUnderTest>[1]) {
  return createEngineUnderTest(undefined, policy);
}

async function recordOf(house: ReturnType<typeof engineWith>, key: string): Promise<OperationRecord> {
  const found = await house.store.find({ tenantId: 'acme', operation: operation.name, key });
  if (!found) throw new Error('There is no such record.');
  return found;
}

describe('a tenant’s own rules', () => {
  test('its lease decides when an owner may be doubted, for the claim and for every phase', async () => {
    const house = engineWith(async () => ({ leaseMs: 10 * minute }));
    const { keyHeader, ...rest } = request();
    await house.engine.run(operation, { keyHeader, ...rest }, async (execution) => {
      house.pass(9 * minute);
      expect(await recordOf(house, keyHeader)).toMatchObject({ leaseExpired: false });
      await execution.phase('prepared');
      house.pass(9 * minute);
      expect(await recordOf(house, keyHeader)).toMatchObject({ leaseExpired: false });
      house.pass(2 * minute);
      expect(await recordOf(house, keyHeader)).toMatchObject({ leaseExpired: true });
      return done('late');
    });
  });

  test('an operation that sets its own lease keeps it: its handler needs that long', async () => {
    const house = engineWith(async () => ({ leaseMs: 1_000 }));
    const same = request();
    await house.engine.run({ ...operation, leaseMs: minute }, same, async () => {
      house.pass(59_000);
      expect(await recordOf(house, same.keyHeader)).toMatchObject({ leaseExpired: false });
      return done('in time');
    });
  });

  test('its replay window holds for the owner’s answer', async () => {
    const house = engineWith(async () => ({ retention: { replayMs: 5 * minute, bodyMs: 5 * minute } }));
    const same = request();
    await house.engine.run(operation, same, async () => done('first'));
    house.pass(4 * minute);
    await house.store.reap('expire', 10);
    expect(await house.engine.run(operation, same, async () => done('second'))).toMatchObject({
      kind: 'answered',
      replayed: true,
    });
    house.pass(2 * minute);
    await house.store.reap('expire', 10);
    expect(await house.engine.run(operation, same, async () => done('second'))).toMatchObject({
      kind: 'refused',
      problem: { spec: idempotencyProblems.idempotency_key_expired },
    });
  });

  test('its replay window holds for what reconciliation settles', async () => {
    const house = engineWith(async () => ({ retention: { replayMs: 5 * minute } }));
    const same = request();
    await house.engine.run(operation, same, async () => ({ kind: 'unknown', code: 'timeout' }));
    const record = await recordOf(house, same.keyHeader);
    await house.engine.settle(operation, record, found, 'poller');
    house.pass(4 * minute);
    expect(await house.store.reap('expire', 10)).toBe(0);
    house.pass(2 * minute);
    expect(await house.store.reap('expire', 10)).toBe(1);
  });

  test('its replay window holds for a key that is released because its owner died', async () => {
    const house = engineWith(async () => ({ retention: { replayMs: 5 * minute } }));
    const same = request();
    const dead = new Promise<never>(() => undefined);
    void house.engine.run(operation, same, () => dead);
    await vi.waitFor(() => recordOf(house, same.keyHeader));
    house.pass(minute);
    await house.engine.doubt(operation, await recordOf(house, same.keyHeader), 'sweeper');
    expect(await recordOf(house, same.keyHeader)).toMatchObject({ status: 'failed_retryable' });
    house.pass(4 * minute);
    expect(await house.store.reap('expire', 10)).toBe(0);
    house.pass(2 * minute);
    expect(await house.store.reap('expire', 10)).toBe(1);
  });

  test('a longer replay window takes the metadata along: a key is never forgotten while it is replayed', async () => {
    const house = engineWith(async () => ({ retention: { replayMs: 60 * minute } }));
    const same = request();
    await house.engine.run(operation, same, async () => done('first'));
    house.pass(50 * minute);
    for (const step of ['purge_body', 'expire', 'delete'] as const) await house.store.reap(step, 10);
    expect(await recordOf(house, same.keyHeader)).toMatchObject({ status: 'completed' });
  });

  test('are asked for the tenant of the request', async () => {
    const policy = vi.fn(async () => ({}));
    const house = engineWith(policy);
    await house.engine.run(operation, request({ tenantId: 'globex' }), async () => done('x'));
    expect(policy.mock.calls).toEqual([['globex']]);
  });
});

describe('rules that cannot be read', () => {
  const unreadable = async () => {
    throw new Error('no settings today');
  };

  test('before a claim: nothing is executed, nothing is claimed, and the same key may come back', async () => {
    const house = engineWith(unreadable);
    const same = request();
    const handler = vi.fn(async () => done('never'));
    expect(await house.engine.run(operation, same, handler)).toMatchObject({
      kind: 'refused',
      problem: { spec: idempotencyProblems.idempotency_store_unavailable },
    });
    expect(handler).not.toHaveBeenCalled();
    const scope = { tenantId: 'acme', operation: operation.name, key: same.keyHeader };
    expect(await house.store.find(scope)).toBeUndefined();
  });

  test('after a claim: the owner settles by the rules it was granted under', async () => {
    let readable = true;
    const house = engineWith(async () => (readable ? {} : unreadable()));
    const outcome = await house.engine.run(operation, request(), async () => {
      readable = false;
      return done('paid');
    });
    expect(outcome).toMatchObject({ kind: 'answered' });
  });

  test('in reconciliation: nothing is written, so that it can be done later', async () => {
    let readable = true;
    const house = engineWith(async () => (readable ? {} : unreadable()));
    const same = request();
    await house.engine.run(operation, same, async () => ({ kind: 'unknown', code: 'timeout' }));
    readable = false;
    const record = await recordOf(house, same.keyHeader);
    const settling = house.engine.settle(operation, record, found, 'poller');
    await expect(settling).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(await recordOf(house, same.keyHeader)).toMatchObject({ status: 'unknown' });
  });
});

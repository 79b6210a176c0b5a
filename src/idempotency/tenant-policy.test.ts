import { describe, expect, test, vi } from 'vitest';
import { operationRefOf } from './operation-id.ts';
import { idempotencyProblems } from './problems.ts';
import type { OperationRecord } from './record.ts';
import { completed, createEngineUnderTest, operation, request } from './testing/engine-under-test.ts';

const minute = 60_000;
const found = { kind: 'completed', status: 201, body: 'found out', cause: 'test' } as const;

function createEngineWithPolicy(policy: Parameters<typeof createEngineUnderTest>[1]) {
  return createEngineUnderTest(undefined, policy);
}

async function recordOf(
  opened: ReturnType<typeof createEngineWithPolicy>,
  key: string,
): Promise<OperationRecord> {
  const found = await opened.store.findById(
    operationRefOf({ tenantId: 'acme', operation: operation.name, key }),
  );
  if (!found) throw new Error('There is no such record.');
  return found;
}

describe('a tenant’s own settings', () => {
  test('its lease holds for the claim and for every phase', async () => {
    const opened = createEngineWithPolicy(async () => ({ leaseMs: 10 * minute }));
    const { keyHeader, ...rest } = request();
    await opened.engine.run(operation, { keyHeader, ...rest }, async (execution) => {
      opened.advance(9 * minute);
      expect(await recordOf(opened, keyHeader)).toMatchObject({ leaseExpired: false });
      await execution.phase('prepared');
      opened.advance(9 * minute);
      expect(await recordOf(opened, keyHeader)).toMatchObject({ leaseExpired: false });
      opened.advance(2 * minute);
      expect(await recordOf(opened, keyHeader)).toMatchObject({ leaseExpired: true });
      return completed('late');
    });
  });

  test('an operation that sets its own lease keeps it: its handler needs that long', async () => {
    const opened = createEngineWithPolicy(async () => ({ leaseMs: 1_000 }));
    const same = request();
    await opened.engine.run({ ...operation, leaseMs: minute }, same, async () => {
      opened.advance(59_000);
      expect(await recordOf(opened, same.keyHeader)).toMatchObject({ leaseExpired: false });
      return completed('in time');
    });
  });

  test('its replay window holds for the owner’s response', async () => {
    const opened = createEngineWithPolicy(async () => ({
      retention: { replayMs: 5 * minute, bodyMs: 5 * minute },
    }));
    const same = request();
    await opened.engine.run(operation, same, async () => completed('first'));
    opened.advance(4 * minute);
    await opened.store.reap('expire', 10);
    expect(await opened.engine.run(operation, same, async () => completed('second'))).toMatchObject({
      kind: 'completed',
      replayed: true,
    });
    opened.advance(2 * minute);
    await opened.store.reap('expire', 10);
    expect(await opened.engine.run(operation, same, async () => completed('second'))).toMatchObject({
      kind: 'refused',
      problem: { spec: idempotencyProblems.idempotency_key_expired },
    });
  });

  test('its replay window holds for what reconciliation resolves', async () => {
    const opened = createEngineWithPolicy(async () => ({ retention: { replayMs: 5 * minute } }));
    const same = request();
    await opened.engine.run(operation, same, async () => ({ kind: 'unknown', code: 'timeout' }));
    const record = await recordOf(opened, same.keyHeader);
    await opened.engine.resolve(operation, record, found, 'poller');
    opened.advance(4 * minute);
    expect(await opened.store.reap('expire', 10)).toBe(0);
    opened.advance(2 * minute);
    expect(await opened.store.reap('expire', 10)).toBe(1);
  });

  test('its replay window holds for a key that is released after its owner crashed', async () => {
    const opened = createEngineWithPolicy(async () => ({ retention: { replayMs: 5 * minute } }));
    const same = request();
    const dead = new Promise<never>(() => undefined);
    void opened.engine.run(operation, same, () => dead);
    await vi.waitFor(() => recordOf(opened, same.keyHeader));
    opened.advance(minute);
    await opened.engine.expireLease(operation, await recordOf(opened, same.keyHeader), 'sweeper');
    expect(await recordOf(opened, same.keyHeader)).toMatchObject({ status: 'failed_retryable' });
    opened.advance(4 * minute);
    expect(await opened.store.reap('expire', 10)).toBe(0);
    opened.advance(2 * minute);
    expect(await opened.store.reap('expire', 10)).toBe(1);
  });

  test('a longer replay window lengthens the metadata’s too: a key is never deleted while it is replayed', async () => {
    const opened = createEngineWithPolicy(async () => ({ retention: { replayMs: 60 * minute } }));
    const same = request();
    await opened.engine.run(operation, same, async () => completed('first'));
    opened.advance(50 * minute);
    for (const step of ['purge_body', 'expire', 'delete'] as const) await opened.store.reap(step, 10);
    expect(await recordOf(opened, same.keyHeader)).toMatchObject({ status: 'completed' });
  });

  test('are read for the tenant of the request', async () => {
    const policy = vi.fn(async () => ({}));
    const opened = createEngineWithPolicy(policy);
    await opened.engine.run(operation, request({ tenantId: 'globex' }), async () => completed('x'));
    expect(policy.mock.calls).toEqual([['globex']]);
  });
});

describe('settings that cannot be read', () => {
  const unreadable = async () => {
    throw new Error('The settings cannot be read.');
  };

  test('before a claim: nothing is executed, nothing is claimed, and the same key may come back', async () => {
    const opened = createEngineWithPolicy(unreadable);
    const same = request();
    const handler = vi.fn(async () => completed('never'));
    expect(await opened.engine.run(operation, same, handler)).toMatchObject({
      kind: 'refused',
      problem: { spec: idempotencyProblems.idempotency_store_unavailable },
    });
    expect(handler).not.toHaveBeenCalled();
    const scope = { tenantId: 'acme', operation: operation.name, key: same.keyHeader };
    expect(await opened.store.findById(operationRefOf(scope))).toBeUndefined();
  });

  test('after a claim: the owner finishes with the settings it was granted under', async () => {
    let readable = true;
    const opened = createEngineWithPolicy(async () => (readable ? {} : unreadable()));
    const outcome = await opened.engine.run(operation, request(), async () => {
      readable = false;
      return completed('paid');
    });
    expect(outcome).toMatchObject({ kind: 'completed' });
  });

  test('in reconciliation: nothing is written, so that it can be completed later', async () => {
    let readable = true;
    const opened = createEngineWithPolicy(async () => (readable ? {} : unreadable()));
    const same = request();
    await opened.engine.run(operation, same, async () => ({ kind: 'unknown', code: 'timeout' }));
    readable = false;
    const record = await recordOf(opened, same.keyHeader);
    const resolution = opened.engine.resolve(operation, record, found, 'poller');
    await expect(resolution).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(await recordOf(opened, same.keyHeader)).toMatchObject({ status: 'unknown' });
  });
});

import { expect, test } from 'vitest';
import type { OperationRecord, OperationRef } from '#idempotency/index.ts';
import { createMemoryStore } from '#idempotency/stores/memory.ts';
import { testOperation } from '#idempotency/testing/postgres-engines.ts';
import { changed, claim, granted, must, transition } from '#idempotency/testing/store-contract.ts';
import type { ReconcileEvent } from './reconcile.ts';
import { createStatusReads } from './status-read.ts';

const hour = 3_600_000;

function createHarness() {
  let now = 0;
  const store = createMemoryStore(() => now);
  const events: ReconcileEvent[] = [];
  const expiredBy: string[] = [];
  const onStatusRead = createStatusReads({
    queue: store,
    engine: {
      expireLease: async (_, record: OperationRecord, actor) => {
        expiredBy.push(actor);
        return changed(store, { ...transition(record, 'unknown'), checkInMs: 0 });
      },
    },
    operations: [testOperation()],
    holdMs: 30_000,
    observe: (event) => void events.push(event),
  });
  const read = async (ref: OperationRef) => onStatusRead(must(await store.findById(ref)));
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, events, expiredBy, read, pass };
}

/** Unknown, checked once, and the next check is an hour away. */
async function waitingLong({ store }: ReturnType<typeof createHarness>): Promise<OperationRecord> {
  const started = granted(await store.claim(claim()));
  await store.transition({ ...transition(started, 'unknown'), checkInMs: 0 });
  const [checked] = await store.take(1, 30_000);
  await store.postpone(must(checked), hour);
  return must(checked);
}

test('reading an unknown outcome expedites its check, at most twice a minute, without counting it', async () => {
  const harness = createHarness();
  const waiting = await waitingLong(harness);
  let checks = 0;
  for (let second = 0; second < 600; second++) {
    harness.pass(1_000);
    expect(await harness.read(waiting)).toMatchObject({ id: waiting.id, status: 'unknown' });
    for (const record of await harness.store.take(1, 30_000)) {
      checks += 1;
      expect(record.checkCount).toBe(1);
      await harness.store.postpone(record, hour);
    }
  }
  expect(checks).toBe(20);
});

test('reading an escalated operation does not make a check due', async () => {
  const harness = createHarness();
  const record = await waitingLong(harness);
  await harness.store.escalate(record);
  harness.pass(2 * hour);
  await harness.read(record);
  expect(await harness.store.take(1, 30_000)).toEqual([]);
});

test('reading expires a lease that is over, and returns the moved record', async () => {
  const harness = createHarness();
  const started = granted(await harness.store.claim(claim({ leaseMs: 10_000 })));
  const { id } = started;
  expect(await harness.read(started)).toMatchObject({ status: 'in_progress' });
  expect(harness.expiredBy).toEqual([]);
  harness.pass(10_000);
  expect(await harness.read(started)).toMatchObject({ status: 'unknown' });
  expect(harness.expiredBy).toEqual(['reader']);
  expect(harness.events).toEqual([
    { kind: 'lease_expired', operation: 'test.run', operationId: id, tenantId: 'acme', to: 'unknown' },
  ]);
  expect(await harness.store.take(1, 30_000)).toMatchObject([{ id }]);
});

test('reading what has ended changes nothing', async () => {
  const harness = createHarness();
  const started = granted(await harness.store.claim(claim()));
  await harness.store.transition(transition(started, 'completed'));
  const before = await harness.store.findById(started);
  harness.pass(hour);
  expect(await harness.read(started)).toEqual(before);
});

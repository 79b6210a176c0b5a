import { expect, test } from 'vitest';
import type { OperationRecord } from '#idempotency/index.ts';
import { createMemoryStore } from '#idempotency/stores/memory.ts';
import { anOperation } from '#idempotency/testing/postgres-engines.ts';
import { claim, move, must } from '#idempotency/testing/store-contract.ts';
import type { ReconcileEvent } from './reconcile.ts';
import { createStatusReads } from './status-read.ts';

const hour = 3_600_000;

function createStand() {
  let now = 0;
  const store = createMemoryStore(() => now);
  const events: ReconcileEvent[] = [];
  const doubted: string[] = [];
  const seen = createStatusReads({
    queue: store,
    engine: {
      doubt: async (_, record: OperationRecord, actor) => {
        doubted.push(actor);
        return store.move({ ...move(record, 'unknown'), reconcileInMs: 0 });
      },
    },
    operations: [anOperation()],
    holdMs: 30_000,
    observe: (event) => void events.push(event),
  });
  const read = async (id: string) => seen(must(await store.findById(id)));
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, events, doubted, read, pass };
}

/** Unknown, looked into once, and the next look is an hour away. */
async function waitingLong({ store }: ReturnType<typeof createStand>): Promise<OperationRecord> {
  const begun = must(await store.insert(claim()));
  await store.move({ ...move(begun, 'unknown'), reconcileInMs: 0 });
  const [looked] = await store.take(1, 30_000);
  await store.postpone(must(looked), hour);
  return must(looked);
}

test('reading an unknown has its next look made now, however often it is read at most twice a minute, and none is used up', async () => {
  const stand = createStand();
  const { id } = await waitingLong(stand);
  let looks = 0;
  for (let second = 0; second < 600; second++) {
    stand.pass(1_000);
    expect(await stand.read(id)).toMatchObject({ id, status: 'unknown' });
    for (const record of await stand.store.take(1, 30_000)) {
      looks += 1;
      expect(record.reconcileAttempts).toBe(1);
      await stand.store.postpone(record, hour);
    }
  }
  expect(looks).toBe(20);
});

test('what was handed to a person is not looked into because somebody reads it', async () => {
  const stand = createStand();
  const record = await waitingLong(stand);
  await stand.store.escalate(record);
  stand.pass(2 * hour);
  await stand.read(record.id);
  expect(await stand.store.take(1, 30_000)).toEqual([]);
});

test('reading finds out that an owner has been silent past its lease, and tells the reader so', async () => {
  const stand = createStand();
  const { id } = must(await stand.store.insert(claim({ leaseMs: 10_000 })));
  expect(await stand.read(id)).toMatchObject({ status: 'in_progress' });
  expect(stand.doubted).toEqual([]);
  stand.pass(10_000);
  expect(await stand.read(id)).toMatchObject({ status: 'unknown' });
  expect(stand.doubted).toEqual(['reader']);
  expect(stand.events).toEqual([
    { kind: 'doubted', operation: 'test.run', operationId: id, tenantId: 'acme', to: 'unknown' },
  ]);
  expect(await stand.store.take(1, 30_000)).toMatchObject([{ id }]);
});

test('reading what has ended changes nothing', async () => {
  const stand = createStand();
  const begun = must(await stand.store.insert(claim()));
  await stand.store.move(move(begun, 'completed'));
  const before = await stand.store.findById(begun.id);
  stand.pass(hour);
  expect(await stand.read(begun.id)).toEqual(before);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PrismaClient } from '#prisma';
import type { IdempotencyStore, Retention } from '../ports.ts';
import { reap } from '../reaper.ts';
import { describeCheckQueueContract } from '../testing/check-queue-contract.ts';
import { createPartitionedDatabase, type PartitionedDatabase } from '../testing/partitioned-database.ts';
import { openEmptyCheckQueue } from '../testing/postgres-check-queue.ts';
import { changed, claim, describeStoreContract, granted, transition } from '../testing/store-contract.ts';
import { createPostgresStore } from './postgres.ts';
import { findStatement } from './postgres-record.ts';
import { createPrismaDriver } from './prisma.ts';

describeStoreContract('PostgreSQL with tables partitioned by tenant', async () => {
  const database = await createPartitionedDatabase();
  return { store: createPostgresStore(createPrismaDriver(database.open())), close: database.close };
});

let database: PartitionedDatabase;
let db: PrismaClient;
let otherDb: PrismaClient;
let store: IdempotencyStore<unknown>;
beforeAll(async () => {
  database = await createPartitionedDatabase();
  [db, otherDb] = [database.open(), database.open()];
  store = createPostgresStore(createPrismaDriver(db));
});
afterAll(() => database.close());

describeCheckQueueContract('PostgreSQL with tables partitioned by tenant', () =>
  openEmptyCheckQueue(db, otherDb),
);

const tenants = Array.from({ length: 16 }, (_, n) => `tenant-${n}`);

type Table = 'idempotency_record' | 'idempotency_event' | 'idempotency_body_window';

async function partitionsWithRows(table: Table): Promise<string[]> {
  const rows = await db.$queryRawUnsafe<{ partition: string }[]>(
    `SELECT DISTINCT tableoid::regclass::text AS partition FROM ${table} ORDER BY partition`,
  );
  return rows.map(({ partition }) => partition);
}

describe('the events of partitioned tables', () => {
  beforeAll(async () => {
    for (const tenantId of tenants) await store.claim(claim({ tenantId }));
  });

  test.each([
    'UPDATE idempotency_event SET actor = $$x$$',
    'DELETE FROM idempotency_event',
    'TRUNCATE idempotency_event',
  ])('are append-only: %s is refused', async (sql) => {
    await expect(db.$executeRawUnsafe(sql)).rejects.toThrow('append-only');
  });

  test('are append-only in each partition: an UPDATE or DELETE of the partition itself is refused', async () => {
    const partitions = await partitionsWithRows('idempotency_event');
    expect(partitions).toHaveLength(4);
    for (const partition of partitions) {
      const update = db.$executeRawUnsafe(`UPDATE ${partition} SET actor = $$x$$`);
      await expect(update).rejects.toThrow('append-only');
      await expect(db.$executeRawUnsafe(`DELETE FROM ${partition}`)).rejects.toThrow('append-only');
    }
  });
});

describe('the reaper on partitioned tables', () => {
  const due: Retention = { replayMs: 0, bodyMs: 0, metadataMs: 0 };
  const notDue: Retention = { replayMs: 60_000, bodyMs: 60_000, metadataMs: 60_000 };
  beforeEach(async () => {
    await db.$executeRaw`TRUNCATE idempotency_record, idempotency_body_window CASCADE`;
  });

  const insert = async (tenantId: string) => granted(await store.claim(claim({ tenantId })));
  const complete = async (tenantId: string, retention: Retention) =>
    changed(store, { ...transition(await insert(tenantId), 'completed'), retention });

  test('deletes exactly the records that are due, in all partitions and in small batches', async () => {
    const kept: string[] = [];
    for (const [n, tenantId] of tenants.entries()) {
      // Rows with the same place in different partitions differ in whether they are due.
      if (n % 3 === 0) kept.push((await complete(tenantId, notDue)).id);
      await complete(tenantId, due);
      kept.push((await insert(tenantId)).id);
      kept.push((await changed(store, transition(await insert(tenantId), 'unknown'))).id);
    }
    expect(await partitionsWithRows('idempotency_record')).toHaveLength(4);

    const all = tenants.length;
    expect(await reap(store, { batchSize: 5 })).toEqual({ purge_body: all, expire: all, delete: all });
    const left = await db.$queryRaw<{ id: string }[]>`SELECT id FROM idempotency_record`;
    expect(left.map(({ id }) => id).toSorted()).toEqual(kept.toSorted());
    expect(await reap(store)).toEqual({ purge_body: 0, expire: 0, delete: 0 });
  });

  test.each(['purge_body', 'expire', 'delete'] as const)(
    '%s takes no more records than its limit',
    async (step) => {
      for (const tenantId of tenants) await complete(tenantId, due);
      if (step === 'delete') await store.reap('expire', tenants.length);
      expect(await store.reap(step, 5)).toBe(5);
      expect(await store.reap(step, tenants.length)).toBe(tenants.length - 5);
    },
  );

  test('deletes exactly the windows that are over and whose operation is resolved', async () => {
    const kept: string[] = [];
    const openWindow = (tenantId: string, windowMs: number) =>
      store.bodyKey({ tenantId, operation: 'test.run', fingerprint: randomUUID(), windowMs });
    for (const [n, tenantId] of tenants.entries()) {
      if (n % 3 === 0) kept.push(await openWindow(tenantId, 60_000));
      await openWindow(tenantId, 0);
      const unresolved = await openWindow(tenantId, 0);
      await store.claim(claim({ tenantId, key: unresolved }));
      kept.push(unresolved);
    }
    expect(await partitionsWithRows('idempotency_body_window')).toHaveLength(4);

    while ((await countWindows()) > kept.length) {
      const before = await countWindows();
      await store.reap('delete', 5);
      expect(before - (await countWindows())).toBe(Math.min(5, before - kept.length));
    }
    await store.reap('delete', 100);
    const left = await db.$queryRaw<{ key: string }[]>`SELECT key FROM idempotency_body_window`;
    expect(left.map(({ key }) => key).toSorted()).toEqual(kept.toSorted());
  });

  const countWindows = () => db.idempotencyBodyWindow.count();
});

test('a statement about one record reads only the partition of its tenant', async () => {
  const record = granted(await store.claim(claim()));
  const { text, values } = findStatement([record]);
  const plan = await db.$queryRawUnsafe<{ 'QUERY PLAN': string }[]>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) ${text}`,
    ...values,
  );
  const scans = plan
    .map((line) => line['QUERY PLAN'])
    .filter((line) => /Scan .*idempotency_record_/.test(line));
  expect(scans).toHaveLength(4);
  expect(scans.filter((line) => !line.includes('never executed'))).toHaveLength(1);
});

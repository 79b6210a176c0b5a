import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { describeDueQueueContract } from '../testing/check-queue-contract.ts';
import { claim, move, must } from '../testing/store-contract.ts';
import { createDueQueue, createPrismaStore } from './prisma.ts';

let database: TestDatabase;
let db: PrismaClient;
let otherDb: PrismaClient;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  const open = () => new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 5 }) });
  [db, otherDb] = [open(), open()];
});
afterAll(async () => {
  await Promise.all([db.$disconnect(), otherDb.$disconnect()]);
  await database.drop();
});

describeDueQueueContract('PostgreSQL through Prisma', async () => {
  await db.$executeRaw`TRUNCATE idempotency_record CASCADE`;
  const pass = async (ms: number) => {
    await db.$executeRaw`
      UPDATE idempotency_record SET
        lease_until = lease_until - ${ms}::bigint * interval '1 millisecond',
        reconcile_after = reconcile_after - ${ms}::bigint * interval '1 millisecond',
        looked_at = looked_at - ${ms}::bigint * interval '1 millisecond',
        scheduled_for = scheduled_for - ${ms}::bigint * interval '1 millisecond'`;
  };
  return { store: createPrismaStore(db), queues: [createDueQueue(db), createDueQueue(otherDb)], pass };
});

test('what one poller has its hands on is skipped by the other, not waited for and not taken twice', async () => {
  await db.$executeRaw`TRUNCATE idempotency_record CASCADE`;
  const store = createPrismaStore(db);
  for (const _ of [1, 2]) {
    await store.move({ ...move(must(await store.insert(claim())), 'unknown'), reconcileInMs: 0 });
  }
  await db.$transaction(async (tx) => {
    const [mine] = await createDueQueue(tx).take(1, 30_000);
    const others = await createDueQueue(otherDb).take(2, 30_000);
    expect(others).toHaveLength(1);
    expect(others[0]?.id).not.toBe(must(mine).id);
  });
});

import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { describeCheckQueueContract } from '../testing/check-queue-contract.ts';
import { openEmptyCheckQueue } from '../testing/postgres-check-queue.ts';
import { claim, granted, must, transition } from '../testing/store-contract.ts';
import { createPostgresCheckQueue } from './postgres-check-queue.ts';
import { createPrismaDriver } from './prisma.ts';

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

describeCheckQueueContract('PostgreSQL through Prisma', () => openEmptyCheckQueue(db, otherDb));

test('a row that one poller has locked is skipped by the other, not waited for and not taken twice', async () => {
  const { store } = await openEmptyCheckQueue(db, otherDb);
  for (const _ of [1, 2]) {
    await store.transition({
      ...transition(granted(await store.claim(claim())), 'unknown'),
      checkInMs: 0,
    });
  }
  await db.$transaction(async (tx) => {
    const [mine] = await createPostgresCheckQueue(createPrismaDriver(tx as PrismaClient)).take(1, 30_000);
    const others = await createPostgresCheckQueue(createPrismaDriver(otherDb)).take(2, 30_000);
    expect(others).toHaveLength(1);
    expect(others[0]?.id).not.toBe(must(mine).id);
  });
});

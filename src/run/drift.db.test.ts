import { readFileSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { PrismaClient } from '#prisma';
import { inCheckout } from '#run/checkout.ts';
import { listMigrations } from '#run/migrations.ts';
import { diffMigrationsToSchema } from '#run/prisma-engine.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

test('the migrations lead to exactly the tables that schema.prisma describes', async () => {
  expect(listMigrations()).not.toEqual([]);
  const missingSql = await diffMigrationsToSchema(database.url);
  expect(missingSql, 'run "npm run migration:new -- <name>" to write this SQL').toBe('');
});

test('the time of a new row is the database’s, also from a process whose clock is two hours ahead', async () => {
  // Prisma fills in `now()` by itself, from the clock of the process, in every table that has it.
  expect(readFileSync(inCheckout('prisma', 'schema.prisma'), 'utf8')).not.toContain('@default(now())');
  const migrated = await createTestDatabase({ template: 'app' });
  const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: migrated.url }) });
  onTestFinished(async () => {
    vi.useRealTimers();
    await db.$disconnect();
    await migrated.drop();
  });
  const before = Date.now();
  vi.useFakeTimers({ toFake: ['Date'], now: before + 2 * 3_600_000 });
  const { createdAt } = await db.organization.create({ data: { id: 'ahead', name: 'Ahead', slug: 'ahead' } });
  expect(createdAt.getTime()).toBeLessThan(before + 3_600_000);
});

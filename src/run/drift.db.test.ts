import { afterAll, beforeAll, expect, test } from 'vitest';
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

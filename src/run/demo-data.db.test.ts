import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseSettings, type Settings } from '#server/env.ts';
import { withClient } from './database-client.ts';
import { demoFileOf, seedDemoData } from './demo-data.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';

let directory: string;
let database: TestDatabase;

beforeEach(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-demo-'));
  database = await createTestDatabase({ template: 'app' });
});
afterEach(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
});

const settingsOf = (source: Record<string, string>): Settings => ({
  ...parseSettings(source),
  DATA_DIR: directory,
});

async function count(table: string): Promise<number> {
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ count: number }>(`SELECT count(*)::int AS count FROM "${table}"`),
  );
  return rows[0]?.count ?? 0;
}

test('the embedded database gets shops, logins and API keys, and demo.json keeps them', async () => {
  const settings = settingsOf({});
  const { tenants, isNew } = await seedDemoData(settings, database.url, 'x'.repeat(32));
  expect(isNew).toBe(true);
  expect(tenants.map(({ slug }) => slug)).toEqual(['acme', 'globex']);
  expect(await count('product')).toBe(12);
  expect(await count('user')).toBeGreaterThan(0);
  expect(JSON.parse(readFileSync(demoFileOf(settings), 'utf8')).tenants).toEqual(tenants);
  expect(await seedDemoData(settings, database.url, 'x'.repeat(32))).toMatchObject({ isNew: false, tenants });
});

test('a configured database gets shops and products if DEMO_DATA is set, and no account or API key', async () => {
  const settings = settingsOf({ DATABASE_URL: database.url, DEMO_DATA: 'true' });
  expect(await seedDemoData(settings, database.url, 'x'.repeat(32))).toEqual({ tenants: [], isNew: false });
  expect(await count('product')).toBe(12);
  expect([await count('user'), await count('account'), await count('api_key')]).toEqual([0, 0, 0]);
  expect(existsSync(demoFileOf(settings))).toBe(false);
});

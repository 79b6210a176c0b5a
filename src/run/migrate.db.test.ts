import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withClient } from './database-client.ts';
import { applyMigrations } from './migrate.ts';
import { createTestDatabase, type TestDatabase } from './testing/database.ts';

let directory: string;
let database: TestDatabase;

beforeEach(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-migrations-'));
  database = await createTestDatabase();
});

afterEach(async () => {
  rmSync(directory, { recursive: true });
  await database.drop();
});

function write(name: string, sql: string): void {
  mkdirSync(path.join(directory, name), { recursive: true });
  writeFileSync(path.join(directory, name, 'migration.sql'), sql);
}

async function count(table: string): Promise<number> {
  const { rows } = await withClient(database.url, (client) =>
    client.query(`SELECT count(*)::int AS n FROM ${table}`),
  );
  return rows[0].n;
}

test('a migration is applied once, however often the migrations are run', async () => {
  write('1_first', 'CREATE TABLE one (x int); INSERT INTO one VALUES (1);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['1_first'] });
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: [] });
  write('2_second', 'INSERT INTO one VALUES (2);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_second'] });
  expect(await count('one')).toBe(2);
});

test('of two processes that migrate at once, one applies the migrations and both succeed', async () => {
  write('1_first', 'CREATE TABLE one (x int); INSERT INTO one VALUES (1);');
  const both = await Promise.all([
    applyMigrations(database.url, directory),
    applyMigrations(database.url, directory),
  ]);
  expect(both.flatMap(({ applied }) => applied)).toEqual(['1_first']);
  expect(await count('one')).toBe(1);
});

test('the body of a trigger may contain semicolons', async () => {
  write(
    '1_trigger',
    `CREATE TABLE one (x int);
     CREATE FUNCTION doubled() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.x := NEW.x * 2; RETURN NEW; END; $$;
     CREATE TRIGGER t BEFORE INSERT ON one FOR EACH ROW EXECUTE FUNCTION doubled();
     INSERT INTO one VALUES (21);`,
  );
  await applyMigrations(database.url, directory);
  const { rows } = await withClient(database.url, (client) => client.query('SELECT x FROM one'));
  expect(rows).toEqual([{ x: 42 }]);
});

test('a migration that fails is rolled back with its reason, and is applied after it was corrected', async () => {
  write('1_broken', 'CREATE TABLE one (x int); SELECT * FROM nowhere;');
  const attempt = applyMigrations(database.url, directory);
  await expect(attempt).rejects.toThrow(
    /^The migration 1_broken could not be applied: No such table: nowhere$/,
  );
  await expect(count('one')).rejects.toThrow('relation "one" does not exist');
  write('1_broken', 'CREATE TABLE one (x int);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['1_broken'] });
  expect(await count('one')).toBe(0);
});

test('a migration that was edited after it had been applied is refused', async () => {
  write('1_first', 'CREATE TABLE one (x int);');
  await applyMigrations(database.url, directory);
  write('1_first', 'CREATE TABLE one (x bigint);');
  await expect(applyMigrations(database.url, directory)).rejects.toThrow(
    'These migrations were edited after this database had applied them: 1_first',
  );
});

test('a database whose applied migrations are not those of this checkout is refused, and the message suggests a reset', async () => {
  write('1_old_tables', 'CREATE TABLE one (x int);');
  write('2_old_columns', 'ALTER TABLE one ADD COLUMN y int;');
  await applyMigrations(database.url, directory);
  for (const name of ['1_old_tables', '2_old_columns'])
    rmSync(path.join(directory, name), { recursive: true });
  write('3_baseline', 'CREATE TABLE one (x int, y int);');
  await expect(applyMigrations(database.url, directory)).rejects.toThrow(
    /^This database was made by another version of Paidonce, with migrations that this checkout does not have \(1_old_tables and 1 more\); run that version or, if the data can be deleted, run "npm run reset"\.$/,
  );
  expect(await count('_prisma_migrations')).toBe(2);
});

test("the job queue's own tables are created", async () => {
  await applyMigrations(database.url, directory);
  expect(await count('graphile_worker.jobs')).toBe(0);
});

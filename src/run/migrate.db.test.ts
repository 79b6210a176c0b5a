import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withClient } from './database-client.ts';
import { withDatabase } from './database-url.ts';
import { applyMigrations } from './migrate.ts';
import { migrationsDirectory } from './migrations.ts';
import { PlainError } from './plain-error.ts';
import { refuseUnsuitableDatabase } from './suitable-database.ts';
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

/** Ends the session whose statement is like this, as a kill of its process does. Waits until there is one. */
async function endSession(statement: string): Promise<void> {
  await withClient(database.url, async (client) => {
    const end = async () => {
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE $1 AND wait_event_type = 'Lock'`,
        [statement],
      );
      return rowCount;
    };
    await expect.poll(end, { timeout: 30_000 }).toBe(1);
  });
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

describe('an index that is built CONCURRENTLY', () => {
  const index = 'CREATE INDEX CONCURRENTLY IF NOT EXISTS one_x ON one (x);';
  const isValid = async () => {
    const { rows } = await withClient(database.url, (client) =>
      client.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('one_x')`),
    );
    return rows[0]?.indisvalid as boolean | undefined;
  };

  beforeEach(() => write('1_first', 'CREATE TABLE one (x int); INSERT INTO one VALUES (1);'));

  test('is built once by any number of starts at the same time, and none waits for ever', async () => {
    write('2_index', `-- Payments go on meanwhile.\n${index}`);
    const all = await Promise.all([1, 2, 3, 4].map(() => applyMigrations(database.url, directory)));
    expect(all.flatMap(({ applied }) => applied)).toEqual(['1_first', '2_index']);
    expect(await isValid()).toBe(true);
  });

  test('is built again by the next start after a kill had left it unfinished', async () => {
    await applyMigrations(database.url, directory);
    write('2_index', index);
    await withClient(database.url, async (writer) => {
      // The index is complete only when this transaction, which is older than it, has ended.
      await writer.query('BEGIN; INSERT INTO one VALUES (2)');
      const killed = applyMigrations(database.url, directory);
      killed.catch(() => undefined);
      await expect.poll(isValid, { timeout: 30_000 }).toBe(false);
      await endSession(`%${index}%`);
      await expect(killed).rejects.toThrow('The migration 2_index could not be applied');
      await writer.query('COMMIT');
    });
    expect(await isValid()).toBe(false);
    expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_index'] });
    expect(await isValid()).toBe(true);
  });

  test('is built again once more by the next start after a kill, and nothing is left of the first', async () => {
    write('1_first', 'CREATE TABLE one (x int PRIMARY KEY); INSERT INTO one VALUES (1);');
    await applyMigrations(database.url, directory);
    const again = 'REINDEX INDEX CONCURRENTLY one_pkey;';
    write('2_again', again);
    const indexes = async () => {
      const { rows } = await withClient(database.url, (client) =>
        client.query(`SELECT indexname AS name FROM pg_indexes WHERE tablename = 'one' ORDER BY name`),
      );
      return rows.map(({ name }) => name);
    };
    await withClient(database.url, async (writer) => {
      await writer.query('BEGIN; INSERT INTO one VALUES (2)');
      const killed = applyMigrations(database.url, directory);
      killed.catch(() => undefined);
      await expect.poll(indexes, { timeout: 30_000 }).toEqual(['one_pkey', 'one_pkey_ccnew']);
      await endSession(`%${again}%`);
      await expect(killed).rejects.toThrow('The migration 2_again could not be applied');
      await writer.query('COMMIT');
    });
    expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_again'] });
    expect(await indexes()).toEqual(['one_pkey']);
  });

  test('is recorded by the next start after a kill between the two', async () => {
    await applyMigrations(database.url, directory);
    await withClient(database.url, (client) => client.query(index));
    write('2_index', index);
    expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_index'] });
    expect(await applyMigrations(database.url, directory)).toEqual({ applied: [] });
  });

  test('is refused where a start after a kill could not repeat it', async () => {
    write('2_index', 'CREATE INDEX CONCURRENTLY one_x ON one (x);');
    await expect(applyMigrations(database.url, directory)).rejects.toThrow('IF NOT EXISTS');
    expect(await isValid()).toBeUndefined();
  });
});

test('a kill within a migration leaves nothing of it, and the next start applies it', async () => {
  write('1_first', 'CREATE TABLE one (x int); CREATE TABLE gate (x int);');
  await applyMigrations(database.url, directory);
  write('2_second', 'INSERT INTO one VALUES (1); LOCK TABLE gate; INSERT INTO one VALUES (2);');
  await withClient(database.url, async (keeper) => {
    await keeper.query('BEGIN; LOCK TABLE gate');
    const killed = applyMigrations(database.url, directory);
    killed.catch(() => undefined);
    await endSession('%LOCK TABLE gate; INSERT%');
    await expect(killed).rejects.toThrow('The migration 2_second could not be applied');
    await keeper.query('COMMIT');
  });
  expect(await count('one')).toBe(0);
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_second'] });
  expect(await count('one')).toBe(2);
});

test('a kill between a migration and its record leaves neither, and the next start applies it once', async () => {
  write('1_first', 'CREATE TABLE one (x int); CREATE TABLE gate (x int);');
  await applyMigrations(database.url, directory);
  write('2_second', 'LOCK TABLE gate; INSERT INTO one VALUES (1);');
  const blocked = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'gate'::regclass`;
  await withClient(database.url, async (keeper) => {
    await keeper.query('BEGIN; LOCK TABLE gate');
    const killed = applyMigrations(database.url, directory);
    killed.catch(() => undefined);
    await expect.poll(async () => (await keeper.query(blocked)).rows[0].n, { timeout: 30_000 }).toBe(1);
    await withClient(database.url, async (clerk) => {
      await clerk.query('BEGIN; LOCK TABLE _prisma_migrations IN SHARE MODE');
      await keeper.query('COMMIT');
      await endSession('%_prisma_migrations%');
      await clerk.query('COMMIT');
    });
    await expect(killed).rejects.toThrow('The migration 2_second could not be applied');
  });
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_second'] });
  expect(await count('one')).toBe(1);
});

test('while a migration waits for a table that a long transaction reads, the table is written, and it is applied afterwards', async () => {
  write('1_first', 'CREATE TABLE one (x int);');
  await applyMigrations(database.url, directory);
  write('2_second', 'ALTER TABLE one ADD COLUMN y int;');
  const waits: string[] = [];
  await withClient(database.url, async (reader) => {
    await reader.query('BEGIN; SELECT FROM one');
    const migrating = applyMigrations(database.url, directory, (name) => waits.push(name));
    migrating.catch(() => undefined);
    const waiting = `SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = 'one'::regclass`;
    await expect.poll(async () => (await reader.query(waiting)).rows[0].n, { timeout: 30_000 }).toBe(1);
    await withClient(database.url, (writer) =>
      writer.query(`SET lock_timeout = '10s'; INSERT INTO one VALUES (1)`),
    );
    await expect.poll(() => waits).toEqual(['2_second']);
    await reader.query('COMMIT');
    expect(await migrating).toEqual({ applied: ['2_second'] });
  });
  expect(await count('one WHERE y IS NULL')).toBe(1);
});

test('a migration is not ended by a time limit that the role or the database has', async () => {
  // The job queue's own migrations have connections of their own.
  await applyMigrations(database.url, directory);
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, async (client) => {
    for (const limit of ['statement_timeout', 'transaction_timeout'])
      await client.query(`ALTER DATABASE "${name}" SET ${limit} = '500ms'`);
  });
  write('1_first', 'CREATE TABLE one (x int); SELECT pg_sleep(0.6);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['1_first'] });
});

test("a migration that Prisma's own command began and did not finish is applied", async () => {
  write('1_first', 'CREATE TABLE one (x int);');
  await applyMigrations(database.url, directory);
  await withClient(database.url, (client) =>
    client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', repeat('0', 64), '2_second')`,
    ),
  );
  write('2_second', 'INSERT INTO one VALUES (2);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['2_second'] });
});

test("Prisma's own engine finds every migration applied as it would have recorded it", async () => {
  await applyMigrations(database.url);
  const { noFilters, toMigrationList, withSchemaEngine } = await import('./prisma-engine.ts');
  const migrationsList = toMigrationList(migrationsDirectory);
  const { appliedMigrationNames } = await withSchemaEngine(database.url, (engine) =>
    engine.applyMigrations({ migrationsList, filters: noFilters }),
  );
  expect(appliedMigrationNames).toEqual([]);
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
    /^The migration 1_broken could not be applied: relation "nowhere" does not exist$/,
  );
  await expect(count('one')).rejects.toThrow('relation "one" does not exist');
  write('1_broken', 'CREATE TABLE one (x int);');
  expect(await applyMigrations(database.url, directory)).toEqual({ applied: ['1_broken'] });
  expect(await count('one')).toBe(0);
});

describe('what the database itself refuses is one sentence without a stack', () => {
  test('a role that may not create tables', async () => {
    const role = `stranger_${randomUUID().replaceAll('-', '')}`;
    await withClient(database.url, (client) => client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`));
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'secret'];
    const refused = applyMigrations(url.href, directory);
    await expect(refused).rejects.toThrow(/^The database could not be migrated: permission denied for /);
    await expect(refused).rejects.toBeInstanceOf(PlainError);
    await withClient(database.url, (client) => client.query(`DROP ROLE ${role}`));
  });

  test('a connection that is lost, as by a server whose disk is full', async () => {
    write('1_first', 'CREATE TABLE one (x int);');
    await withClient(database.url, async (client) => {
      await client.query('BEGIN; CREATE SCHEMA graphile_worker');
      const lost = applyMigrations(database.url, directory).catch((error: unknown) => error);
      await endSession('%create schema if not exists%');
      expect(await lost).toBeInstanceOf(PlainError);
    });
  });
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

test('a database in which tables would be created outside public, where Prisma reads them, is refused', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, (client) => client.query('CREATE SCHEMA shop'));
  for (const [path, schema] of [
    ['shop, public', '"shop"'],
    ["''", 'no schema'],
  ]) {
    await withClient(database.url, (client) =>
      client.query(`ALTER DATABASE "${name}" SET search_path = ${path}`),
    );
    await expect(applyMigrations(database.url, directory)).rejects.toThrow(
      `The search_path of this database and role leads to ${schema}, but the tables are in "public"; run ALTER ROLE … SET search_path = public.`,
    );
  }
});

test('a database that takes no writes is refused', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await withClient(database.url, (client) =>
    client.query(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`),
  );
  await expect(applyMigrations(database.url, directory)).rejects.toThrow(/^This database takes no writes: /);
});

test('a server that is too old is refused', async () => {
  const client = { query: async () => ({ rows: [{ schema: 'public', encoding: 'UTF8', version: 130023 }] }) };
  await expect(refuseUnsuitableDatabase(client as unknown as pg.Client)).rejects.toThrow(
    'This is PostgreSQL 13; use version 14 or newer.',
  );
});

test('a database that cannot store every character is refused', async () => {
  const name = `latin_${randomUUID().replaceAll('-', '')}`;
  const sql = `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'`;
  await withClient(database.url, (client) => client.query(sql));
  await expect(applyMigrations(withDatabase(database.url, name), directory)).rejects.toThrow(
    'The encoding of this database is LATIN1; create one with the encoding UTF8.',
  );
  await withClient(database.url, (client) => client.query(`DROP DATABASE ${name}`));
});

test('a role that does not apply the migrations is refused while it lacks rights on a table or sees no jobs', async () => {
  write('1_first', 'CREATE TABLE one (x int);');
  await applyMigrations(database.url, directory);
  const role = `app_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(database.url);
  [url.username, url.password] = [role, 'secret'];
  await withClient(database.url, async (owner) => {
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret';
        GRANT USAGE ON SCHEMA graphile_worker TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA graphile_worker TO ${role};
        GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
    try {
      await expect(applyMigrations(url.href, directory)).rejects.toThrow(
        `The role "${role}" may not read and write public.one; grant it SELECT, INSERT, UPDATE and DELETE on all tables of the schemas public and graphile_worker.`,
      );
      await owner.query(`GRANT INSERT, UPDATE, DELETE ON one TO ${role}`);
      await expect(applyMigrations(url.href, directory)).rejects.toThrow(
        `Row security hides the rows of graphile_worker._private_job_queues from the role "${role}"; run ALTER ROLE … BYPASSRLS, or use the role that owns the tables.`,
      );
      // Tables of another application, or of an extension, are not ours to have rights on.
      await owner.query(`ALTER ROLE ${role} BYPASSRLS; CREATE ROLE ${role}_other;
        CREATE TABLE elsewhere (x int); ALTER TABLE elsewhere OWNER TO ${role}_other`);
      expect(await applyMigrations(url.href, directory)).toEqual({ applied: [] });
    } finally {
      await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role};
        DROP TABLE IF EXISTS elsewhere; DROP ROLE IF EXISTS ${role}_other`);
    }
  });
});

test("the job queue's own tables are created", async () => {
  await applyMigrations(database.url, directory);
  expect(await count('graphile_worker.jobs')).toBe(0);
});

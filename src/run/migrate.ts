import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { withClient } from './database-client.ts';
import { listMigrations, type Migration, migrationsDirectory } from './migrations.ts';
import { describe, PlainError } from './plain-error.ts';
import { refuseRoleWithoutRights, refuseUnsuitableDatabase } from './suitable-database.ts';

// The one that Prisma's own command takes, so that a `prisma migrate deploy` elsewhere is waited for as well.
const lockKey = 72_707_369;
const lockPauseMs = 100;

// A statement that waits for a table keeps all later ones waiting, also those of payments. It therefore gives up sooner than
// they do (`lockTimeoutMs` in pg-driver.ts), and tries again after a pause in which they go on.
const tableLockTimeoutMs = 200;
const tablePauseMs = 1_000;
const lockNotAvailable = '55P03';

export type Migrated = { applied: string[] };

type RecordedMigration = { name: string; checksum: string; finished: boolean };

// The lock is asked for again and again. A statement that waits for it would hold a snapshot, for which a CREATE INDEX
// CONCURRENTLY of the process that has the lock would wait in turn. The lock belongs to the connection that applies the
// migrations: after a kill it is held until PostgreSQL has ended what that connection was doing.
async function takeLock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [lockKey]);
    if (rows[0].taken) return;
    await delay(lockPauseMs);
  }
}

// Prisma's own table, as its engine creates it. The `prisma migrate` command reads it too.
async function readRecorded(client: pg.Client): Promise<RecordedMigration[]> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!table.rows[0].exists) {
    await client.query(`CREATE TABLE _prisma_migrations (
      id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamptz,
      migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
      started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`);
  }
  const { rows } = await client.query<RecordedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  return rows;
}

// A database with other migrations has other tables, so the migrations of this checkout would fail half-way with an error
// about a table.
function refuseUnknownMigrations(recorded: RecordedMigration[], migrations: readonly Migration[]): void {
  const unknown = recorded.filter(
    ({ name, finished }) => finished && !migrations.some((migration) => migration.name === name),
  );
  if (unknown.length === 0) return;
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  throw new PlainError(
    `This database was made by another version of Paidonce, with migrations that this checkout does not have (${unknown[0]?.name}${more}); run that version or, if the data can be deleted, run "npm run reset".`,
  );
}

// After an edit of an applied migration, this database does not have the tables that the checkout describes.
function refuseEditedMigrations(recorded: RecordedMigration[], migrations: readonly Migration[]): void {
  const edited = recorded.filter((row) =>
    migrations.some((m) => row.finished && m.name === row.name && m.checksum !== row.checksum),
  );
  if (edited.length === 0) return;
  const names = edited.map((row) => row.name).join(', ');
  throw new PlainError(
    `These migrations were edited after this database had applied them: ${names}; restore them or, if the data can be deleted, run "npm run reset".`,
  );
}

// Only Prisma's own command leaves such rows, when it is ended by an error or a kill; it then refuses to go on until they
// are marked so.
async function markUnfinishedRolledBack(client: pg.Client): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
}

async function record(client: pg.Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

// The script and its record are one transaction: after a kill at any moment there are both or neither.
async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  await client.query(`BEGIN; SET LOCAL lock_timeout = ${tableLockTimeoutMs}`);
  try {
    await client.query(migration.sql);
    await record(client, migration);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

// For as long as it takes: a backup that reads all tables holds a lock on each of them until it has ended.
async function applyWhenFree(
  client: pg.Client,
  migration: Migration,
  onWait: (name: string) => void,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await applyInTransaction(client, migration);
    } catch (error) {
      if ((error as { code?: string }).code !== lockNotAvailable) throw error;
      if (isFirst) onWait(migration.name);
      await delay(tablePauseMs);
    }
  }
}

const concurrently = /\bINDEX\s+CONCURRENTLY\b/i;
const repeatable =
  /^\s*(?:CREATE\s+(?:UNIQUE\s+)?INDEX\s+CONCURRENTLY\s+IF\s+NOT\s+EXISTS|DROP\s+INDEX\s+CONCURRENTLY\s+IF\s+EXISTS|(?<again>REINDEX\s+INDEX\s+CONCURRENTLY))\s+("?)(?<index>\w+)\2[^;]*;?\s*$/i;

// PostgreSQL allows no transaction here, so a kill may leave the index unfinished, or finished and not recorded. The
// statement is therefore one that can be repeated, and what an earlier attempt left unfinished is dropped first.
async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  const { index, again } = repeatable.exec(withoutComments(migration.sql))?.groups ?? {};
  if (index === undefined) {
    throw new Error(
      'a file with CONCURRENTLY has that one statement: CREATE INDEX CONCURRENTLY IF NOT EXISTS, DROP INDEX CONCURRENTLY IF EXISTS, or REINDEX INDEX CONCURRENTLY',
    );
  }
  // PostgreSQL builds an index again under the first of these names, and gives the old one the second until it is dropped.
  for (const name of again ? [`${index}_ccnew`, `${index}_ccold`] : [index]) {
    const { rows } = await client.query(
      'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [`"${name}"`],
    );
    if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
  }
  await client.query(migration.sql);
  await record(client, migration);
}

function withoutComments(sql: string): string {
  return sql.replaceAll(/--.*$/gm, '');
}

async function apply(client: pg.Client, migration: Migration, onWait: (name: string) => void): Promise<void> {
  const isConcurrent = concurrently.test(withoutComments(migration.sql));
  try {
    await (isConcurrent ? applyConcurrently(client, migration) : applyWhenFree(client, migration, onWait));
  } catch (error) {
    throw new PlainError(`The migration ${migration.name} could not be applied: ${describe(error)}`, {
      cause: error,
    });
  }
}

/** Needs a connection to PostgreSQL itself: through a pooler in transaction mode the lock would belong to another session. */
export async function applyMigrations(
  databaseUrl: string,
  directory = migrationsDirectory,
  // Called once for a migration that waits for a table which another session uses.
  onWait: (name: string) => void = () => undefined,
): Promise<Migrated> {
  const migrations = listMigrations(directory);
  const work = (client: pg.Client) => migrate(client, databaseUrl, migrations, onWait);
  return withClient(databaseUrl, work).catch((error) => {
    // A role without the right to create tables, for instance, or a server that dies of a full disk. A bug keeps its stack.
    if (error instanceof PlainError || error instanceof TypeError) throw error;
    throw new PlainError(`The database could not be migrated: ${describe(error)}`, { cause: error });
  });
}

async function migrate(
  client: pg.Client,
  databaseUrl: string,
  migrations: readonly Migration[],
  onWait: (name: string) => void,
): Promise<Migrated> {
  // A migration takes as long as it takes, even if the role has a default. Not every version has each of these.
  await client.query(
    `SELECT set_config(name, '0', false) FROM pg_settings
     WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_session_timeout')`,
  );
  await refuseUnsuitableDatabase(client);
  await takeLock(client);
  const recorded = await readRecorded(client);
  refuseUnknownMigrations(recorded, migrations);
  refuseEditedMigrations(recorded, migrations);
  // graphile-worker keeps its own schema and history, and finds nothing to do in a few milliseconds. It comes first,
  // so that a migration may call graphile_worker.add_job.
  const { runMigrations } = await import('graphile-worker');
  await runMigrations({ connectionString: databaseUrl });
  if (recorded.some(({ finished }) => !finished)) await markUnfinishedRolledBack(client);
  const pending = migrations.filter(({ name }) => !recorded.some((row) => row.finished && row.name === name));
  for (const migration of pending) await apply(client, migration, onWait);
  await refuseRoleWithoutRights(client);
  return { applied: pending.map(({ name }) => name) };
}

import type pg from 'pg';
import { withClient } from './database-client.ts';
import { listMigrations, type Migration, migrationsDirectory } from './migrations.ts';
import { describe, PlainError } from './plain-error.ts';

// Any number works that no other lock uses, as long as every process that migrates uses the same.
const lockKey = 2_043_771_905;

export type Migrated = { applied: string[] };

type RecordedMigration = { name: string; checksum: string; finished: boolean };

// Prisma's own table; the first start creates it.
async function readRecorded(client: pg.Client): Promise<RecordedMigration[]> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!table.rows[0].exists) return [];
  const { rows } = await client.query<RecordedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  );
  return rows;
}

// PostgreSQL is queried directly, because loading the engine takes half a second and most starts have nothing to apply.
function isUpToDate(recorded: RecordedMigration[], migrations: Migration[]): boolean {
  return (
    recorded.length === migrations.length &&
    migrations.every(({ name, checksum }) =>
      recorded.some((row) => row.finished && row.name === name && row.checksum === checksum),
    )
  );
}

// A database with other migrations has other tables, so the migrations of this checkout would fail half-way with an error
// about a table.
function refuseUnknownMigrations(recorded: RecordedMigration[], migrations: Migration[]): void {
  const unknown = recorded.filter(
    ({ name, finished }) => finished && !migrations.some((migration) => migration.name === name),
  );
  if (unknown.length === 0) return;
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  throw new PlainError(
    `This database was made by another version of Paidonce, with migrations that this checkout does not have (${unknown[0]?.name}${more}); run that version or, if the data can be deleted, run "npm run reset".`,
  );
}

// Of the engine's report, which includes its own stack, only the reason and the name of the migration are shown.
function explain(report: string): string {
  const reason =
    report
      .replace(/^external connector error\n/i, '')
      .split(/\n\s+0: /)[0]
      ?.trim() ?? report;
  const name = report.match(/migration_name="([^"]+)"/)?.[1];
  return `${name ? `The migration ${name}` : 'A migration'} could not be applied: ${reason}`;
}

// A migration that began and did not finish was ended by an error or a kill. A script is one transaction, so PostgreSQL has
// rolled it back and it can be applied again; Prisma would refuse to apply any migration until it is marked so.
async function markUnfinishedRolledBack(client: pg.Client): Promise<void> {
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
}

async function applyWithEngine(databaseUrl: string, directory: string): Promise<string[]> {
  const { noFilters, toMigrationList, withSchemaEngine } = await import('./prisma-engine.ts');
  const migrationsList = toMigrationList(directory);
  try {
    return await withSchemaEngine(databaseUrl, async (engine) => {
      const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: noFilters });
      return appliedMigrationNames;
    });
  } catch (error) {
    throw new PlainError(explain(describe(error)), { cause: error });
  }
}

// After an edit of an applied migration, this database does not have the tables that the checkout describes.
function refuseEditedMigrations(recorded: RecordedMigration[], migrations: Migration[]): void {
  const edited = recorded.filter((row) =>
    migrations.some((m) => m.name === row.name && m.checksum !== row.checksum),
  );
  if (edited.length === 0) return;
  const names = edited.map((row) => row.name).join(', ');
  throw new PlainError(
    `These migrations were edited after this database had applied them: ${names}; restore them or, if the data can be deleted, run "npm run reset".`,
  );
}

export async function applyMigrations(
  databaseUrl: string,
  directory = migrationsDirectory,
): Promise<Migrated> {
  const migrations = listMigrations(directory);
  return withClient(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    const recorded = await readRecorded(client);
    refuseUnknownMigrations(recorded, migrations);
    // graphile-worker keeps its own schema and history, and finds nothing to do in a few milliseconds. It comes first,
    // so that a migration may call graphile_worker.add_job.
    const { runMigrations } = await import('graphile-worker');
    await runMigrations({ connectionString: databaseUrl });
    if (migrations.length === 0 || isUpToDate(recorded, migrations)) return { applied: [] };
    if (recorded.some(({ finished }) => !finished)) await markUnfinishedRolledBack(client);
    const applied = await applyWithEngine(databaseUrl, directory);
    refuseEditedMigrations(await readRecorded(client), migrations);
    return { applied };
  });
}

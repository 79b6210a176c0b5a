import type pg from 'pg';
import { withClient } from './database-client.ts';
import { listMigrations, type Migration, migrationsDirectory } from './migrations.ts';
import { describe, PlainError } from './plain-error.ts';

// Any number nobody else uses; it is the same for every process that migrates.
const lockKey = 2_043_771_905;

export type Migrated = { applied: string[] };

// Asked of PostgreSQL directly: loading the engine costs half a second, and on nearly every start there is nothing to do.
async function isUpToDate(client: pg.Client, migrations: Migration[]): Promise<boolean> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!table.rows[0].exists) return false;
  const { rows } = await client.query<{ name: string; checksum: string; finished: boolean }>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return (
    rows.length === migrations.length &&
    migrations.every(({ name, checksum }) =>
      rows.some((row) => row.finished && row.name === name && row.checksum === checksum),
    )
  );
}

// The engine answers with a stack of its own; of that only the reason and the name of the migration concern the reader.
function explain(answer: string): string {
  const reason =
    answer
      .replace(/^external connector error\n/i, '')
      .split(/\n\s+0: /)[0]
      ?.trim() ?? answer;
  const name = answer.match(/migration_name="([^"]+)"/)?.[1];
  return `${name ? `The migration ${name}` : 'A migration'} could not be applied: ${reason}`;
}

// A migration that began and never ended was cut short by an error or a kill. PostgreSQL has undone it, because a script
// is one transaction, so it may be tried again; Prisma by itself would refuse every start from then on.
async function forgiveUnfinished(client: pg.Client): Promise<void> {
  const table = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!table.rows[0].exists) return;
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

// A migration that changed after it was applied means that this database and the checkout no longer tell the same story.
async function refuseEditedMigrations(client: pg.Client, migrations: Migration[]): Promise<void> {
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT migration_name AS name, checksum FROM _prisma_migrations WHERE rolled_back_at IS NULL',
  );
  const edited = rows.filter((row) =>
    migrations.some((m) => m.name === row.name && m.checksum !== row.checksum),
  );
  if (edited.length === 0) return;
  const names = edited.map((row) => row.name).join(', ');
  throw new PlainError(
    `These migrations were edited after this database had applied them: ${names}; restore them or, if the data may go, run "npm run reset".`,
  );
}

export async function applyMigrations(
  databaseUrl: string,
  directory = migrationsDirectory,
): Promise<Migrated> {
  const migrations = listMigrations(directory);
  return withClient(databaseUrl, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [lockKey]);
    // graphile-worker keeps its own schema and history, and finds nothing to do in a few milliseconds. It comes first,
    // so that a migration may call graphile_worker.add_job.
    const { runMigrations } = await import('graphile-worker');
    await runMigrations({ connectionString: databaseUrl });
    if (migrations.length === 0 || (await isUpToDate(client, migrations))) return { applied: [] };
    await forgiveUnfinished(client);
    const applied = await applyWithEngine(databaseUrl, directory);
    await refuseEditedMigrations(client, migrations);
    return { applied };
  });
}

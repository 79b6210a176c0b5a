import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '#prisma';
import { createTestDatabase } from '#run/testing/database.ts';

const partitionCount = 4;
const tables = ['idempotency_record', 'idempotency_event', 'key_misuse', 'idempotency_body_window'];

const migrations = path.join(import.meta.dirname, '../../../prisma/migrations');

/** The engine's own migration, which other applications copy as well. */
function readMigration(): string {
  const [name, ...others] = readdirSync(migrations).filter((entry) => entry.endsWith('_idempotency'));
  if (!name || others.length > 0) throw new Error('The engine has exactly one migration.');
  return readFileSync(path.join(migrations, name, 'migration.sql'), 'utf8');
}

/** Adds the PARTITION BY clause to the end of one CREATE TABLE. */
function partitionTable(sql: string, table: string): string {
  const createTable = new RegExp(`(CREATE TABLE ${table} \\([^;]*\\));`);
  if (!createTable.test(sql)) throw new Error(`The migration does not create ${table}.`);
  return sql.replace(createTable, '$1 PARTITION BY HASH (tenant_id);');
}

function createPartitions(table: string): string {
  return Array.from(
    { length: partitionCount },
    (_, remainder) =>
      `CREATE TABLE ${table}_${remainder} PARTITION OF ${table}
        FOR VALUES WITH (MODULUS ${partitionCount}, REMAINDER ${remainder});`,
  ).join('\n');
}

/** A database with nothing but the engine's tables, each partitioned by tenant; the migration is otherwise unchanged. */
export async function createPartitionedDatabase() {
  const database = await createTestDatabase();
  const partitioned = tables.reduce(partitionTable, readMigration());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query([partitioned, ...tables.map(createPartitions)].join('\n'));
  await client.end();

  const clients: PrismaClient[] = [];
  return {
    open(): PrismaClient {
      const db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 5 }) });
      clients.push(db);
      return db;
    },
    async close(): Promise<void> {
      await Promise.all(clients.map((db) => db.$disconnect()));
      await database.drop();
    },
  };
}

export type PartitionedDatabase = Awaited<ReturnType<typeof createPartitionedDatabase>>;

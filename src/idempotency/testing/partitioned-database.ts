import { createEngineDatabase } from './engine-database.ts';

const partitionCount = 4;
const tables = ['idempotency_record', 'idempotency_event', 'key_misuse', 'idempotency_body_window'];

/** Adds the PARTITION BY clause to the end of one CREATE TABLE. */
function partitionTable(sql: string, table: string): string {
  const createTable = new RegExp(`(CREATE TABLE ${table} \\([^;]*\\));`);
  if (!createTable.test(sql)) throw new Error(`No migration creates ${table}.`);
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

/** PostgreSQL takes storage settings for partitions, and not for the table that they are of; nor does it rebuild all their indexes in a transaction. */
function withoutStorage(sql: string): string {
  return sql.replaceAll(/^(ALTER TABLE \w+ SET \(fillfactor = \d+\)|REINDEX INDEX \w+);$/gm, '');
}

/** The engine's tables, each partitioned by tenant; the migrations are otherwise unchanged. */
export function createPartitionedDatabase() {
  return createEngineDatabase((sql) => {
    const partitioned = tables.reduce(partitionTable, withoutStorage(sql));
    return [partitioned, ...tables.map(createPartitions)].join('\n');
  });
}

export type PartitionedDatabase = Awaited<ReturnType<typeof createPartitionedDatabase>>;

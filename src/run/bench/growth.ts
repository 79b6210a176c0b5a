import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { operationRefOf } from '#idempotency/index.ts';
import { createPgDriver, createPostgresStore, storePoolSettings } from '#idempotency/stores/postgres.ts';
import { percentile } from '#run/measure/figures.ts';
import { print } from '#run/terminal.ts';
import { benchTenant } from './workload.ts';

export interface GrowthFigures {
  readonly rows: number;
  readonly claimP50Ms: number;
  readonly replayP50Ms: number;
}

/** Claims in each table. The first half is warm-up. */
const claims = 2_000;

/**
 * What one claim and one replay cost with so many records in the table. Each size is a database of its own, and they take turns
 * claim by claim, because a commit takes twice as long in one minute as in another.
 */
export async function measureGrowth(
  sizes: readonly number[],
  openDatabase: (name: string) => Promise<string>,
): Promise<GrowthFigures[]> {
  const tables: Table[] = [];
  try {
    for (const rows of sizes) tables.push(await openTable(rows, await openDatabase(`growth_${rows}`)));
    const keys = Array.from({ length: claims }, () => randomUUID());
    const claimMs = await timeInTurn(tables, keys);
    const replayMs = await timeInTurn(tables, keys);
    return tables.map(({ rows }, table) => ({
      rows,
      claimP50Ms: percentile(claimMs[table] ?? [], 50),
      replayP50Ms: percentile(replayMs[table] ?? [], 50),
    }));
  } finally {
    await Promise.all(tables.map(({ close }) => close()));
  }
}

interface Table {
  readonly rows: number;
  claim(key: string): Promise<unknown>;
  close(): Promise<void>;
}

async function openTable(rows: number, url: string): Promise<Table> {
  print(`growth: ${rows.toLocaleString('en')} records are being written`);
  await fill(url, rows);
  const pool = new pg.Pool({ connectionString: url, max: 1, ...storePoolSettings });
  // A pool ends before its connections are closed, and the server is stopped right after it.
  pool.on('error', () => undefined);
  const store = createPostgresStore(createPgDriver(pool));
  return { rows, claim: (key) => store.claim(claimOf(key)), close: () => pool.end() };
}

/** The times of each table's second half of claims. */
async function timeInTurn(tables: readonly Table[], keys: readonly string[]): Promise<number[][]> {
  const times = tables.map((): number[] => []);
  for (const key of keys) {
    for (const [index, table] of tables.entries()) {
      const startedAt = performance.now();
      await table.claim(key);
      times[index]?.push(performance.now() - startedAt);
    }
  }
  return times.map((all) => all.slice(all.length / 2));
}

function claimOf(key: string) {
  const scope = { tenantId: benchTenant, operation: 'bench.growth', key };
  return {
    ...scope,
    ...operationRefOf(scope),
    fingerprint: 'f',
    fingerprintVersion: 1,
    fieldDigests: {},
    principal: 'bench',
    leaseMs: 600_000,
    effectSent: false,
  };
}

/**
 * Completed records with responses, as months of payments leave them. Triggers are off and the indexes are built afterwards, or
 * it would take hours.
 */
async function fill(url: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off`);
    await client.query(`SET maintenance_work_mem = '512MB'; SET work_mem = '256MB'`);
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
       WHERE indrelid = 'idempotency_record'::regclass AND NOT indisprimary ORDER BY indexrelid`,
    );
    for (const { name } of indexes) await client.query(`DROP INDEX ${name}`);
    await client.query(
      `INSERT INTO idempotency_record (tenant_id, id, operation, key, fingerprint, fingerprint_version, field_digests,
         principal, status, attempt, recovery_point, effect_sent, response_status, response_body, response_key_id,
         response_schema_version, transition_actor, transition_cause, created_at, updated_at, completed_at, expires_at,
         body_purge_at, delete_at)
       SELECT '${benchTenant}', id, 'bench.growth', gen_random_uuid()::text, repeat('f', 64), 1, '{}',
         'bench', 'completed', 1, 'sent', true, 201, decode(repeat('00', 200), 'hex'), 'bench', 1, 'owner', 'charged',
         at, at, at, at + interval '30 days', at + interval '30 days', at + interval '90 days'
       FROM (
         SELECT gen_random_uuid() AS id, now() - n * interval '1 second' AS at FROM generate_series(1, $1::int) AS n
         ORDER BY id) AS made`,
      [rows],
    );
    for (const { definition } of indexes) await client.query(definition);
    await client.query('ANALYZE idempotency_record');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

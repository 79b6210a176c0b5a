import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { operationRefOf } from '#idempotency/index.ts';
import { createPgDriver, createPostgresStore, storePoolSettings } from '#idempotency/stores/postgres.ts';
import { percentile } from '#run/measure/figures.ts';
import { benchTenant } from './workload.ts';

export interface GrowthFigures {
  readonly rows: number;
  readonly claimP50Ms: number;
  readonly replayP50Ms: number;
}

const claims = 2_000;

/** What one claim and one replay cost with so many records in the table. The table only grows, so sizes come in order. */
export async function measureGrowth(url: string, sizes: readonly number[]): Promise<GrowthFigures[]> {
  const pool = new pg.Pool({ connectionString: url, max: 4, ...storePoolSettings });
  const store = createPostgresStore(createPgDriver(pool));
  const figures: GrowthFigures[] = [];
  try {
    for (const rows of sizes.toSorted((one, other) => one - other)) {
      await fill(url, rows);
      const keys = Array.from({ length: claims }, () => randomUUID());
      const claimMs = await timeEach(keys, (key) => store.claim(claimOf(key)));
      const replayMs = await timeEach(keys, (key) => store.claim(claimOf(key)));
      figures.push({
        rows,
        claimP50Ms: percentile(claimMs, 50),
        replayP50Ms: percentile(replayMs, 50),
      });
    }
  } finally {
    await pool.end();
  }
  return figures;
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

/** The first half is warm-up. */
async function timeEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  for (const item of items) {
    const startedAt = performance.now();
    await work(item);
    times.push(performance.now() - startedAt);
  }
  return times.slice(times.length / 2);
}

/** Completed records with responses, as months of payments leave them. Triggers are off, or it would take hours. */
async function fill(url: string, rows: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`SET session_replication_role = replica; SET synchronous_commit = off`);
    const { rows: found } = await client.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM idempotency_record',
    );
    await client.query(
      `INSERT INTO idempotency_record (tenant_id, id, operation, key, fingerprint, fingerprint_version, field_digests,
         principal, status, attempt, recovery_point, effect_sent, response_status, response_body, response_key_id,
         response_schema_version, transition_actor, transition_cause, created_at, updated_at, completed_at, expires_at,
         body_purge_at, delete_at)
       SELECT '${benchTenant}', gen_random_uuid(), 'bench.growth', gen_random_uuid()::text, repeat('f', 64), 1, '{}',
         'bench', 'completed', 1, 'sent', true, 201, decode(repeat('00', 200), 'hex'), 'bench', 1, 'owner', 'charged',
         at, at, at, at + interval '30 days', at + interval '30 days', at + interval '90 days'
       FROM (SELECT now() - n * interval '1 second' AS at FROM generate_series(1, $1::int) AS n) AS made`,
      [Math.max(0, rows - (found[0]?.count ?? 0))],
    );
    await client.query('ANALYZE idempotency_record');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

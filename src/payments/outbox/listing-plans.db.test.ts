import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { withClient } from '#run/testing/database.ts';
import { listDeliveries, listEmails } from './listing.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';

const rows = 50_000;
/** In the middle, so that neither the newest nor the oldest rows have them. */
const failed = 3;
let harness: OutboxHarness;
let shop: string;

beforeAll(async () => {
  harness = await openOutboxHarness();
  shop = await harness.openShop('Acme Coffee');
  const { payment } = await harness.buy(shop);
  const { row: endpoint } = await harness.addEndpoint(shop, 'http://127.0.0.1:9/hooks');
  await withClient(harness.database.url, async (client) => {
    const made = `'2026-01-01'::timestamptz + n * interval '1 minute'`;
    const isFailed = `(n BETWEEN ${rows / 2} AND ${rows / 2 + failed - 1})`;
    const statusOr = (usual: string) => `CASE WHEN ${isFailed} THEN 'failed' ELSE '${usual}' END`;
    const orNull = (usual: string) => `CASE WHEN NOT ${isFailed} THEN ${usual} END`;
    await client.query(
      `INSERT INTO email (tenant_id, dedupe_key, to_address, subject, html, text, status, sent_at, last_error, created_at)
       SELECT $1, 'notice:' || n, 'ada@example.com', '', '', '', ${statusOr('sent')}, ${orNull('now()')}, 'refused', ${made}
       FROM generate_series(1, ${rows}) AS n`,
      [shop],
    );
    await client.query(
      `WITH event AS (
         INSERT INTO outbox_event (tenant_id, id, payment_id, source_id, type, relayed_at)
         SELECT $1, gen_random_uuid(), $2, gen_random_uuid(), 'payment.succeeded', now() FROM generate_series(1, ${rows})
         RETURNING id)
       INSERT INTO merchant_webhook_delivery (tenant_id, endpoint_id, event_id, type, body, status, last_status, delivered_at, last_error, created_at)
       SELECT $1, $3, id, 'payment.succeeded', '{}', ${statusOr('delivered')}, ${orNull('200')}, ${orNull('now()')}, 'refused', ${made}
       FROM (SELECT id, row_number() OVER () AS n FROM event) AS numbered`,
      [shop, payment.id, endpoint.id],
    );
    await client.query('ANALYZE');
  });
}, 120_000);
afterAll(() => harness.close());

/** The most rows that a step of any of the statements reads, as PostgreSQL executes them. */
async function mostRowsOf(list: (db: PrismaClient) => Promise<unknown>): Promise<number> {
  const pool = new pg.Pool({ connectionString: harness.database.url });
  const log = [{ emit: 'event', level: 'query' }] as const;
  const db = new PrismaClient({ adapter: new PrismaPg(pool), log: [...log] });
  const statements: { query: string; params: string }[] = [];
  db.$on('query', (statement) => statements.push(statement));
  await list(db);
  let most = 0;
  for (const { query, params } of statements) {
    const { rows: plans } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${query}`, JSON.parse(params));
    const all = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(all)];
    for (const node of all(plans[0]['QUERY PLAN'][0].Plan)) {
      const read = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0);
      most = Math.max(most, read * node['Actual Loops']);
    }
  }
  await db.$disconnect();
  await pool.end();
  expect(statements.length).toBeGreaterThan(0);
  return most;
}

interface Node {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

test.each([
  ['e-mails', listEmails],
  ['deliveries', listDeliveries],
])('the %s that failed are found without reading the others', async (_, list) => {
  const filter = { status: 'failed', limit: 50 } as const;
  expect(await list(harness.db, shop, filter)).toHaveLength(failed);
  expect(await mostRowsOf((db) => list(db, shop, filter))).toBeLessThan(100);
  // Nor do all tenants share what is read.
  expect(await mostRowsOf((db) => list(db, randomUUID(), filter))).toBeLessThan(100);
});

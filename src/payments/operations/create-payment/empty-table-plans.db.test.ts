import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createPgDriver, createPostgresStore, storePoolSettings } from '#idempotency/stores/postgres.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';

let harness: PaymentHarness;

beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function readRows(): Promise<Record<string, number>> {
  const rows = await harness.db.$queryRaw<{ table: string; read: number; inserted: number }[]>`
    SELECT relname AS table, idx_tup_fetch::int AS read, n_tup_ins::int AS inserted
    FROM pg_stat_user_tables WHERE relname IN ('idempotency_record', 'payment')`;
  return Object.fromEntries(
    rows.flatMap(({ table, read, inserted }) => [
      [table, read],
      [`${table} inserted`, inserted],
    ]),
  );
}

/**
 * Each connection plans once, on a table that is empty, and autovacuum corrects a bad plan only minutes later. Callers alone and
 * callers that share a statement have statements of their own.
 */
test('the first payments of an installation read no rows but their own, no matter what was planned while the tables were empty', async () => {
  const payments = 60;
  const payTogether = (count: number) =>
    Promise.all(Array.from({ length: count }, () => harness.pay(command(), newKey())));
  // One connection, whose plan is from now.
  const pool = new pg.Pool({ connectionString: harness.databaseUrl, max: 1, ...storePoolSettings });
  onTestFinished(() => pool.end());
  const reader = createPostgresStore(createPgDriver(pool));
  expect(await reader.findById(harness.refOf(randomUUID()))).toBeUndefined();
  await payTogether(2);
  for (let payment = 2; payment < payments / 2; payment++) {
    await harness.pay(command(), newKey());
  }
  for (let payment = payments / 2; payment < payments; payment += 10) await payTogether(10);
  const records = await harness.db.idempotencyRecord.findMany({ select: { tenantId: true, id: true } });
  for (const record of records) expect(await reader.findById(record)).toBeDefined();

  await pool.query('SELECT pg_stat_force_next_flush()');
  await harness.reportStatistics();
  const read = await readRows();
  expect(read['payment inserted']).toBe(payments);
  // Each is read by its two updates and at the end, and the payment by two foreign keys as well. Reading all of the tenant's
  // would make 30 times as many.
  expect(read.idempotency_record).toBeLessThanOrEqual(8 * payments);
  expect(read.payment).toBeLessThanOrEqual(10 * payments);
});

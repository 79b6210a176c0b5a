import { afterAll, beforeAll, expect, test, vi } from 'vitest';
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

/** Each connection plans once, on a table that is empty, and autovacuum corrects a bad plan only minutes later. */
test('the first payments of an installation read no rows but their own, no matter what was planned while the tables were empty', async () => {
  const payments = 60;
  for (let payment = 0; payment < payments; payment++) await harness.pay(command(), newKey());
  // PostgreSQL reports them a moment later.
  await vi.waitUntil(async () => (await readRows())['payment inserted'] === payments, {
    timeout: 20_000,
    interval: 200,
  });
  const read = await readRows();
  // Each is read by its two updates, and the payment by two foreign keys as well. Reading all of the tenant's would make 30
  // times as many.
  expect(read.idempotency_record).toBeLessThanOrEqual(6 * payments);
  expect(read.payment).toBeLessThanOrEqual(10 * payments);
});

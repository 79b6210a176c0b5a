import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';

let harness: PaymentHarness;

beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function readUpdates(): Promise<{ all: number; heapOnly: number }> {
  const [row] = await harness.db.$queryRaw<{ all: number; heapOnly: number }[]>`
    SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS "heapOnly"
    FROM pg_stat_user_tables WHERE relname = 'idempotency_record'`;
  return row ?? { all: 0, heapOnly: 0 };
}

/** An update of an indexed column writes to every index of the table; a heap-only (HOT) one writes to none. */
test('a record’s phase is a heap-only update: indexes are written when it is claimed and when it is completed, and not in between', async () => {
  const payments = 20;
  for (let payment = 0; payment < payments; payment++) await harness.pay(command(), newKey());
  await harness.reportStatistics();
  const { all, heapOnly } = await readUpdates();
  expect(all).toBe(2 * payments);
  // A page that is full makes one of them move to another page.
  expect(heapOnly).toBeGreaterThanOrEqual(0.9 * payments);
});

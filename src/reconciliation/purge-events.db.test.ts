import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { purgeEventPayloads } from './purge-events.ts';
import { reconcilerOf } from './testing/lost-commits.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function receive(type: string, processed: string | null): Promise<void> {
  await harness.db.$executeRaw`
    INSERT INTO provider_event (provider, event_id, type, payload, status, outcome, processed_at)
    VALUES ('sandbox', ${randomUUID()}, ${type}, '{"name":"Ada"}',
      ${processed ? 'processed' : 'received'}, ${processed && 'completed: provider_succeeded'},
      clock_timestamp() - ${processed}::interval)`;
}

test('the payloads of events are deleted after a month, however many; their rows and outcomes are kept', async () => {
  for (let n = 0; n < 3; n++) await receive('old', '31 days');
  await harness.db.$executeRaw`
    INSERT INTO provider_event (provider, event_id, type, payload, status, processed_at)
    SELECT 'sandbox', 'many-' || n, 'old', '{"name":"Ada"}', 'processed', clock_timestamp() - interval '40 days'
    FROM generate_series(1, 1200) AS n`;
  await receive('young', '29 days');
  await receive('waiting', null);
  await purgeEventPayloads(harness.db);
  const left = await harness.db.$queryRaw<
    { type: string; all: number; payloads: number; outcomes: number }[]
  >`
    SELECT type, count(*)::int AS all, count(payload)::int AS payloads, count(outcome)::int AS outcomes
    FROM provider_event GROUP BY 1 ORDER BY 1`;
  expect(left).toEqual([
    { type: 'old', all: 1203, payloads: 0, outcomes: 3 },
    { type: 'waiting', all: 1, payloads: 1, outcomes: 0 },
    { type: 'young', all: 1, payloads: 1, outcomes: 1 },
  ]);
});

test('what says that money moved is kept while the outcome is unknown, however long: the provider may deny it later', async () => {
  const { operationId = '' } = await harness.pay(
    command({ paymentMethod: 'pm_fault_charged_500' }),
    newKey(),
  );
  await harness.db.$executeRaw`
    INSERT INTO provider_event (provider, event_id, type, tenant_id, operation_id, payload, status, processed_at)
    VALUES ('sandbox', 'of-unknown', 'payment_intent.succeeded', ${harness.tenantId}, ${operationId}::uuid, '{}', 'processed',
      clock_timestamp() - interval '31 days')`;
  await purgeEventPayloads(harness.db);
  const payload = async () =>
    (await harness.db.providerEvent.findFirstOrThrow({ where: { eventId: 'of-unknown' } })).payload;
  expect(await payload()).toEqual({});
  await reconcilerOf(harness).reconcile(harness.refOf(operationId), 'poller');
  await purgeEventPayloads(harness.db);
  expect(await payload()).toBeNull();
});

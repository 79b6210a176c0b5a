import { afterAll, beforeAll, expect, test } from 'vitest';
import { withCallLog } from '#payments/index.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { createLog } from './log.ts';
import { createProviderCallLog } from './provider-call-log.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness({ providerTimeoutMs: 1_000 });
});
afterAll(() => harness.close());

const silent = createLog('test', 'silent');

test('every call of a payment is logged with its duration, its outcome and the provider’s request id', async () => {
  const calls = createProviderCallLog(harness.db, silent);
  const provider = withCallLog(harness.provider, calls.onCall);
  const outcome = await harness.pay(
    command({ paymentMethod: 'pm_fault_charged_no_response' }),
    newKey(),
    provider,
  );
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId } = outcome;
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({
    where: { tenantId: harness.tenantId, operationId },
  });
  await provider.retrieveIntent(providerIntentId ?? '', { operationId, tenantId: harness.tenantId });
  await calls.flush();

  const logged = await harness.db.providerCall.findMany({
    where: { tenantId: harness.tenantId, operationId },
    orderBy: { startedAt: 'asc' },
  });
  expect(logged).toMatchObject([
    { call: 'create', outcome: 'responded', code: 'created', requestId: expect.stringMatching(/^req_/) },
    { call: 'confirm', outcome: 'ambiguous', code: 'provider_timeout', requestId: null },
    { call: 'retrieve', outcome: 'responded', code: 'succeeded' },
  ]);
  expect(logged[1]?.durationMs).toBeGreaterThanOrEqual(390);
  // By the database's clock, between the commits on either side of the call.
  const events = await harness.db.idempotencyEvent.findMany({
    where: { tenantId: harness.tenantId, recordId: operationId },
    orderBy: { id: 'asc' },
  });
  const sent = events.find(({ recoveryPoint }) => recoveryPoint === 'confirm_sent');
  const unknown = events.find(({ toStatus }) => toStatus === 'unknown');
  const confirmed = logged[1]?.startedAt.getTime() ?? 0;
  expect(confirmed).toBeGreaterThanOrEqual((sent?.at.getTime() ?? 0) - 5);
  expect(confirmed).toBeLessThan(unknown?.at.getTime() ?? 0);
});

test('a failing log fails no payment, and calls without a record are not logged', async () => {
  const broken = { $executeRaw: () => Promise.reject(new Error('the disk is full')) } as never;
  const lost = createProviderCallLog(broken, silent);
  const outcome = await harness.pay(command(), newKey(), withCallLog(harness.provider, lost.onCall));
  expect(outcome).toMatchObject({ kind: 'completed' });
  await lost.flush();

  const calls = createProviderCallLog(harness.db, silent);
  const withoutRecord = { operationId: '00000000-0000-4000-8000-000000000000', tenantId: harness.tenantId };
  await withCallLog(harness.provider, calls.onCall).retrieveIntent('pi_none', withoutRecord);
  await calls.flush();
  expect(await harness.db.providerCall.count({ where: withoutRecord })).toBe(0);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { withCallLog } from '#payments/index.ts';
import { command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createLog } from './log.ts';
import { createProviderCallLog } from './provider-call-log.ts';

let stand: PaymentStand;
beforeAll(async () => {
  stand = await openPaymentStand({ providerTimeoutMs: 400 });
});
afterAll(() => stand.close());

const silent = createLog('test', 'silent');

test('every call of a payment is noted with its duration, its outcome and the provider’s name for it', async () => {
  const calls = createProviderCallLog(stand.db, silent);
  const provider = withCallLog(stand.provider, calls.told);
  const outcome = await stand.pay(
    command({ paymentMethod: 'pm_fault_charged_no_answer' }),
    newKey(),
    provider,
  );
  if (outcome.kind !== 'pending') throw new Error('expected an unknown outcome');
  const { operationId } = outcome;
  const { providerIntentId } = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
  await provider.retrieveIntent(providerIntentId ?? '', { operationId, tenantId: stand.tenantId });
  await calls.flush();

  const noted = await stand.db.providerCall.findMany({
    where: { operationId },
    orderBy: { startedAt: 'asc' },
  });
  expect(noted).toMatchObject([
    { call: 'create', outcome: 'answered', code: 'created', requestId: expect.stringMatching(/^req_/) },
    { call: 'confirm', outcome: 'ambiguous', code: 'provider_timeout', requestId: null },
    { call: 'retrieve', outcome: 'answered', code: 'succeeded' },
  ]);
  expect(noted[1]?.durationMs).toBeGreaterThanOrEqual(390);
  // By the database's clock, between the commits on either side of the call.
  const events = await stand.db.idempotencyEvent.findMany({
    where: { recordId: operationId },
    orderBy: { id: 'asc' },
  });
  const sent = events.find(({ recoveryPoint }) => recoveryPoint === 'confirm_sent');
  const doubted = events.find(({ toStatus }) => toStatus === 'unknown');
  const confirmed = noted[1]?.startedAt.getTime() ?? 0;
  expect(confirmed).toBeGreaterThanOrEqual((sent?.at.getTime() ?? 0) - 5);
  expect(confirmed).toBeLessThan(doubted?.at.getTime() ?? 0);
});

test('what cannot be written fails no payment, and is about records of ours only', async () => {
  const broken = { $executeRaw: () => Promise.reject(new Error('the disk is full')) } as never;
  const lost = createProviderCallLog(broken, silent);
  const outcome = await stand.pay(command(), newKey(), withCallLog(stand.provider, lost.told));
  expect(outcome).toMatchObject({ kind: 'answered' });
  await lost.flush();

  const calls = createProviderCallLog(stand.db, silent);
  const stranger = { operationId: '00000000-0000-4000-8000-000000000000', tenantId: stand.tenantId };
  await withCallLog(stand.provider, calls.told).retrieveIntent('pi_none', stranger);
  await calls.flush();
  expect(await stand.db.providerCall.count({ where: stranger })).toBe(0);
});

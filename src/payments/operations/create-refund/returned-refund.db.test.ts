import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refundException } from '#payments/exceptions/refund-exception.ts';
import type { PaymentProvider, ProviderRefund } from '#payments/provider.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { runOperation } from '../run-operation.ts';
import { createRefundKind } from './kind.ts';

let harness: PaymentHarness;
/** What the provider says of refunds that it has made. */
let says: ProviderRefund['state'] | 'the truth';
let provider: PaymentProvider;
beforeAll(async () => {
  harness = await openPaymentHarness();
  provider = {
    ...harness.provider,
    async findRefund(wanted) {
      const found = await harness.provider.findRefund(wanted);
      if (found?.kind !== 'responded' || says === 'the truth') return found;
      return { ...found, refund: { ...found.refund, state: says } };
    },
  };
});
beforeEach(() => {
  says = 'the truth';
});
afterAll(() => harness.close());

async function paid() {
  const paymentId = String(bodyOf(await harness.pay(command(), newKey())).paymentId);
  return { paymentId, ...(await intentOf(paymentId)) };
}

async function intentOf(paymentId: string) {
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  return { intentId: payment.providerIntentId ?? '', payment };
}

function refund(paymentId: string) {
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: newKey() };
  return runOperation({ engine: harness.engine, provider }, createRefundKind, caller, {
    paymentId,
    reference: 'return-1',
  });
}

/** A refund that the bank returned, by what the provider says, and what an event about it leads to. */
async function returned() {
  const { paymentId, intentId } = await paid();
  const { operationId } = bodyOf(await refund(paymentId));
  const { providerRefundId } = await harness.db.refund.findFirstOrThrow({ where: { paymentId } });
  const event = { object: 'refund', objectId: providerRefundId ?? '', intentId };
  const follow = (state: typeof says) => {
    says = state;
    const operation = harness.refOf(String(operationId));
    return createRefundKind.createFollower({ db: harness.db, provider }).follow({ ...event, operation });
  };
  expect(await follow('failed')).toEqual({ kind: 'changed', outcome: 'refund_failed' });
  return { paymentId, providerRefundId, follow };
}

async function booksOf(paymentId: string) {
  const where = { paymentId };
  const [payment, refunds, entries, exceptions] = await Promise.all([
    harness.db.payment.findFirstOrThrow({ where: { id: paymentId } }),
    harness.db.refund.findMany({ where, orderBy: { createdAt: 'asc' } }),
    harness.db.ledgerEntry.findMany({ where: { ...where, account: 'provider_receivable' } }),
    harness.db.reconciliationException.findMany({ where, orderBy: { foundAt: 'asc' } }),
  ]);
  return {
    refunded: Number(payment.refundedMinor),
    owed: Number(entries.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)),
    refunds: refunds.map(({ status }) => status),
    exceptions: exceptions.map(({ reason, status }) => `${reason} ${status}`),
  };
}

const isShown = { kind: 'changed', outcome: 'exception' };

test('a returned refund that the provider pays after all is booked and shown to an operator, as often as that happens', async () => {
  const { paymentId, follow } = await returned();
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 0, owed: 1200 });
  expect(await follow('succeeded')).toEqual(isShown);
  expect(await follow('succeeded')).toBeUndefined();
  expect(await booksOf(paymentId)).toEqual({
    ...{ refunded: 1200, owed: 0, refunds: ['failed', 'succeeded'] },
    exceptions: ['refund_not_returned open'],
  });
  // The provider has paid it back: there is nothing to refund.
  const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
  const again = await refundException(harness, harness.tenantId, id, { actor: 'operator:1' });
  expect(again).toEqual({ kind: 'not_open' });
  const events = await harness.db.outboxEvent.findMany({
    where: { paymentId },
    orderBy: { createdAt: 'asc' },
  });
  expect(events.map(({ type }) => type).filter((type) => type.startsWith('refund'))).toEqual([
    'refund.succeeded',
    'refund.failed',
    'refund.succeeded',
  ]);

  expect(await follow('failed')).toEqual({ kind: 'changed', outcome: 'refund_failed' });
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 0, owed: 1200 });
  expect(await follow('the truth')).toEqual(isShown);
  expect(await booksOf(paymentId)).toEqual({
    ...{ refunded: 1200, owed: 0, refunds: ['failed', 'failed', 'succeeded'] },
    exceptions: ['refund_not_returned open', 'refund_not_returned open'],
  });
});

test('it is shown, and not booked, when the payment was refunded otherwise meanwhile', async () => {
  const { paymentId, providerRefundId, follow } = await returned();
  await harness.sandbox.control('refunds/fail', { refund: providerRefundId });
  bodyOf(await refund(paymentId));
  expect(await follow('succeeded')).toEqual(isShown);
  expect(await follow('succeeded')).toBeUndefined();
  expect(await booksOf(paymentId)).toEqual({
    ...{ refunded: 1200, owed: 0, refunds: ['failed', 'succeeded'] },
    exceptions: ['refund_not_returned open'],
  });
});

test('it is booked once what took its place was returned as well', async () => {
  const { paymentId, providerRefundId, follow } = await returned();
  await harness.sandbox.control('refunds/fail', { refund: providerRefundId });
  const inItsPlace = harness.refOf(String(bodyOf(await refund(paymentId)).operationId));
  const follower = createRefundKind.createFollower({ db: harness.db, provider });
  const { intentId } = await intentOf(paymentId);
  const followOther = () => follower.follow({ operation: inItsPlace, object: 'refund', intentId });
  expect(await follow('succeeded')).toEqual(isShown);
  says = 'failed';
  expect(await followOther()).toMatchObject({ outcome: 'refund_failed' });
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 0, owed: 1200 });
  expect(await follow('succeeded')).toEqual({ kind: 'changed', outcome: 'refund_booked' });
  expect(await follow('succeeded')).toBeUndefined();
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 1200, owed: 0 });
  // The other way round, as the sandbox has it.
  expect(await follow('the truth')).toMatchObject({ outcome: 'refund_failed' });
  expect(await followOther()).toEqual(isShown);
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 1200, owed: 0 });
});

test('it waits for a refund that an operator makes instead at the same moment', async () => {
  const { paymentId, providerRefundId, follow } = await returned();
  await harness.sandbox.control('refunds/fail', { refund: providerRefundId });
  const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
  let followed: unknown;
  const using: PaymentProvider = {
    ...provider,
    async createRefund(request) {
      followed = await follow('succeeded');
      return harness.provider.createRefund(request);
    },
  };
  await refundException({ ...harness, provider: using }, harness.tenantId, id, { actor: 'operator:1' });
  expect(followed).toEqual({ kind: 'no_evidence', code: 'refund_pending' });
  expect(await follow('succeeded')).toEqual(isShown);
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 1200, owed: 0 });
});

test('one that was made in the dashboard is booked again as well', async () => {
  const { payment, paymentId, intentId } = await paid();
  const made = await fetch(`${harness.sandbox.url}/v1/refunds`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
    body: new URLSearchParams({ payment_intent: intentId, amount: '500' }),
  });
  const { id: objectId } = (await made.json()) as { id: string };
  const follow = (state: typeof says) => {
    says = state;
    const operation = harness.refOf(payment.operationId);
    const event = { operation, object: 'refund', objectId, intentId, isFromDashboard: true };
    return createRefundKind.createFollower({ db: harness.db, provider }).follow(event);
  };
  await follow('the truth');
  await follow('failed');
  expect(await booksOf(paymentId)).toMatchObject({ refunded: 0, owed: 1200 });
  expect(await follow('the truth')).toEqual(isShown);
  expect(await follow('the truth')).toBeUndefined();
  expect(await booksOf(paymentId)).toMatchObject({
    refunded: 500,
    owed: 700,
    refunds: ['failed', 'succeeded'],
  });
});

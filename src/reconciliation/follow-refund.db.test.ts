import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createRefund,
  createRefundOperation,
  type PaymentProvider,
  type RefundResult,
} from '#payments/index.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { followRefund } from './follow-refund.ts';
import { createRefundInvestigator } from '#payments/operations/create-refund/investigate.ts';
import { flagLateTruth } from './flag-exception.ts';
import { processProviderEvent, receiveProviderEvent } from './provider-events.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';
import { refundLateTruth } from './refund-exception.ts';

let stand: PaymentStand;
let provider: PaymentProvider;
let reconciler: Reconciler;
/** What the provider says instead of the truth. */
let script: Partial<PaymentProvider> = {};

beforeAll(async () => {
  stand = await openPaymentStand();
  provider = {
    ...stand.provider,
    findRefund: (request) => (script.findRefund ?? stand.provider.findRefund)(request),
    createRefund: (request) => (script.createRefund ?? stand.provider.createRefund)(request),
  };
  const investigators = [createRefundInvestigator({ db: stand.db, provider })];
  reconciler = createReconciler({ ...stand, investigators });
});
beforeEach(() => {
  script = {};
});
afterAll(() => stand.close());

const parts = () => ({ db: stand.db, provider, engine: stand.engine, reconciler });
const says = (result: RefundResult) => async () => result;
const pending = says({
  kind: 'answered',
  refund: { id: 're_x', state: 'pending', amountMinor: 1200, currency: 'usd' },
});
const silent = says({ kind: 'ambiguous', code: 'provider_timeout' });
const decide = (id: string, actor = 'operator:1') =>
  refundLateTruth(parts(), stand.tenantId, id, { actor, reason: 'The shopper wrote to us.' });
const lateTruth = (id: string) => stand.db.lateTruth.findUniqueOrThrow({ where: { id } });

async function pay() {
  const wish = command();
  return { ...(answered(await stand.pay(wish, newKey())) as unknown as { paymentId: string }), wish };
}

function refund(paymentId: string, amountMinor: number, key = newKey()) {
  const input = { paymentId, amountMinor };
  const request = { tenantId: stand.tenantId, principal: 'tester', keyHeader: key, input };
  return stand.engine.run(createRefundOperation, request, (execution) =>
    createRefund(provider, execution, input),
  );
}

async function refundedOperation(amountMinor = 500) {
  const { paymentId, wish } = await pay();
  const key = newKey();
  const { operationId } = answered(await refund(paymentId, amountMinor, key)) as unknown as {
    operationId: string;
  };
  return { paymentId, operationId, key, amountMinor, wish };
}

/** The bank sends back what the operation paid last. */
async function comesBack(operationId: string): Promise<void> {
  const made = (await stand.sandbox.refundsOf(operationId)).find(({ status }) => status === 'succeeded');
  await stand.sandbox.control('refunds/fail', { refund: made?.id });
}

/** What the merchant is owed for this payment. */
async function balanceOf(paymentId: string): Promise<number> {
  const entries = await stand.db.ledgerEntry.findMany({
    where: { paymentId, account: 'provider_receivable' },
  });
  return entries.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0);
}

/** The hint as it comes: an event in the inbox, and the worker's job for it. */
async function hint(operationId: string): Promise<{ status: string; outcome: string | null }> {
  const eventId = `evt_${randomUUID()}`;
  const payload = { data: { object: { object: 'refund', id: 're_x' } } };
  await receiveProviderEvent(stand.db, {
    provider: 'sandbox',
    ...{ eventId, type: 'refund.failed', operationId, payload },
  });
  const { id } = await stand.db.providerEvent.findFirstOrThrow({ where: { eventId } });
  await processProviderEvent(parts(), id);
  return stand.db.providerEvent.findUniqueOrThrow({ where: { id }, select: { status: true, outcome: true } });
}

describe('a refund that was booked and comes back days later', () => {
  test('is booked back, can be refunded again, and is shown to a person, once however often it is heard of', async () => {
    const { paymentId, operationId, key, amountMinor } = await refundedOperation();
    const told = answered(await refund(paymentId, amountMinor, key));
    expect(await balanceOf(paymentId)).toBe(700);
    await comesBack(operationId);

    expect(await hint(operationId)).toEqual({ status: 'processed', outcome: 'refund_failed' });
    expect(await hint(operationId)).toEqual({ status: 'processed', outcome: 'nothing_to_do: completed' });
    expect(await Promise.all([1, 2, 3].map(() => followRefund(parts(), operationId)))).toEqual([
      ...[undefined, undefined, undefined],
    ]);

    expect(await balanceOf(paymentId)).toBe(1200);
    const payment = await stand.db.payment.findUniqueOrThrow({ where: { id: paymentId } });
    expect(payment.refundedMinor).toBe(0n);
    expect(await stand.db.refund.findUniqueOrThrow({ where: { operationId } })).toMatchObject({
      status: 'failed',
      failedAt: expect.any(Date),
    });
    const events = await stand.db.outboxEvent.findMany({
      where: { paymentId },
      orderBy: { createdAt: 'asc' },
    });
    expect(events.map(({ type }) => type)).toEqual([
      ...['payment.succeeded', 'refund.succeeded', 'refund.failed'],
    ]);
    expect(await stand.db.lateTruth.findMany({ where: { paymentId } })).toMatchObject([
      { reason: 'refund_failed', status: 'open' },
    ]);
    // What was answered was true then, and is what the key says for ever.
    expect(answered(await refund(paymentId, amountMinor, key))).toEqual(told);
  });

  test('heard of by two workers at once it is booked back once', async () => {
    const { paymentId, operationId } = await refundedOperation();
    await comesBack(operationId);
    const heard = await Promise.all([1, 2, 3, 4].map(() => followRefund(parts(), operationId)));
    expect(heard.filter((outcome) => outcome === 'refund_failed')).toHaveLength(1);
    expect(await balanceOf(paymentId)).toBe(1200);
  });

  test('is sent again by a person: its own amount, once; and if that comes back as well, they are asked again', async () => {
    const { paymentId, operationId, amountMinor } = await refundedOperation();
    await comesBack(operationId);
    await hint(operationId);
    const first = await stand.db.lateTruth.findFirstOrThrow({ where: { paymentId } });

    const clicks = await Promise.all([decide(first.id, 'operator:1'), decide(first.id, 'operator:2')]);
    expect(clicks.map(({ kind }) => kind)).toContain('refunded');
    const again = await lateTruth(first.id);
    expect(again).toMatchObject({ status: 'refunded', decidedAt: expect.any(Date) });
    expect(await balanceOf(paymentId)).toBe(1200 - amountMinor);

    const second = again.refundOperationId ?? '';
    await comesBack(second);
    expect(await hint(second)).toMatchObject({ outcome: 'refund_failed' });
    const late = await stand.db.lateTruth.findMany({ where: { paymentId }, orderBy: { foundAt: 'asc' } });
    expect(late.map(({ status }) => status)).toEqual(['refunded', 'open']);
    expect(await balanceOf(paymentId)).toBe(1200);
  });

  test('is believed of the provider only: an event about a refund that stands changes nothing', async () => {
    const { paymentId, operationId, amountMinor } = await refundedOperation();
    expect(await hint(operationId)).toEqual({ status: 'processed', outcome: 'nothing_to_do: completed' });
    expect(await balanceOf(paymentId)).toBe(1200 - amountMinor);
    expect(await stand.db.lateTruth.count({ where: { paymentId } })).toBe(0);
  });

  test('the hint is kept while the provider gives no word', async () => {
    const { operationId } = await refundedOperation();
    await comesBack(operationId);
    script.findRefund = silent;
    await expect(hint(operationId)).rejects.toThrow('The provider gave no word (provider_timeout)');
    const [kept] = await stand.db.providerEvent.findMany({ where: { operationId } });
    expect(kept).toMatchObject({ status: 'received' });
    script = {};
    await processProviderEvent(parts(), kept?.id ?? '');
    expect(await stand.db.refund.findUniqueOrThrow({ where: { operationId } })).toMatchObject({
      status: 'failed',
    });
  });

  test('the database lets a settled refund become nothing else, and what it is about never changes', async () => {
    const { operationId } = await refundedOperation();
    const set = (data: object) => stand.db.refund.update({ where: { operationId }, data });
    for (const status of ['pending', 'released']) {
      await expect(set({ status, settledAt: null })).rejects.toThrow('a settled refund stays settled');
    }
    await expect(set({ amountMinor: 1 })).rejects.toThrow('never changes');
    await expect(set({ status: 'failed' })).rejects.toThrow('refund_failed');
    await comesBack(operationId);
    await followRefund(parts(), operationId);
    await expect(set({ status: 'succeeded', failedAt: null })).rejects.toThrow('stays settled');
    const { paymentId } = await pay();
    script.createRefund = silent;
    await refund(paymentId, 100);
    await expect(
      stand.db.refund.updateMany({
        where: { paymentId, status: 'pending' },
        data: { status: 'failed', settledAt: new Date(), failedAt: new Date() },
      }),
    ).rejects.toThrow('only what was paid back can come back');
    script = {};
    const { operationId: unknown } = await stand.db.refund.findFirstOrThrow({ where: { paymentId } });
    expect(await reconciler.reconcile(unknown, 'test')).toMatchObject({ kind: 'settled' });
  });
});

describe('a late truth in the books whose refund is not done at once', () => {
  /** Money for an order that nobody wants, and a decision to send it back that the bank thinks over. */
  async function decidedAndPending() {
    const wish = command();
    const { tenantId } = stand;
    await stand.db.order.create({
      data: {
        ...{ tenantId, number: wish.reference, amountMinor: wish.amountMinor, currency: wish.currency },
        cancelledAt: new Date(),
      },
    });
    answered(await stand.pay(wish, newKey()));
    const { id } = await stand.db.lateTruth.findFirstOrThrow({
      where: { payment: { reference: wish.reference } },
    });
    script = { createRefund: silent };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'operation_unknown' });
    script = {};
    return { id, operationId: (await lateTruth(id)).refundOperationId ?? '' };
  }

  test('is dealt with when the refund is settled, whoever settles it', async () => {
    const { id, operationId } = await decidedAndPending();
    expect(await lateTruth(id)).toMatchObject({ status: 'open', decidedBy: 'operator:1', decidedAt: null });
    expect(await reconciler.reconcile(operationId, 'poller')).toMatchObject({ kind: 'settled' });
    expect(await lateTruth(id)).toMatchObject({ status: 'refunded', decidedAt: expect.any(Date) });
    expect(await stand.sandbox.refundsOf(operationId)).toHaveLength(1);
  });

  test('can be sent back under a new key when the old one failed and has expired', async () => {
    const { id, operationId } = await decidedAndPending();
    script.findRefund = says({
      kind: 'answered',
      refund: { id: 're_x', state: 'failed', amountMinor: 1200, currency: 'usd' },
    });
    expect(await reconciler.reconcile(operationId, 'poller')).toMatchObject({ kind: 'released' });
    script = {};
    await stand.db.$executeRaw`
      UPDATE idempotency_record SET status = 'expired', completed_at = now() WHERE id = ${operationId}::uuid`;
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await lateTruth(id)).toMatchObject({ status: 'refunded', generation: 2 });
  });
});

describe('a late truth that is in no books', () => {
  async function unbooked() {
    const wish = command({ paymentMethod: 'pm_fault_rate_limited' });
    await stand.pay(wish, newKey());
    const payment = await stand.db.payment.findFirstOrThrow({ where: { reference: wish.reference } });
    const intentId = payment.providerIntentId ?? '';
    // Somebody confirms the intent behind our back, in the provider's own dashboard.
    await fetch(`${stand.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stand.sandbox.secretKey}` },
      body: new URLSearchParams({ payment_method: 'pm_card_visa' }),
    });
    expect(await flagLateTruth(stand, payment.operationId, intentId)).toBe(true);
    return stand.db.lateTruth.findFirstOrThrow({ where: { intentId } });
  }
  const states = async (id: string) => (await stand.sandbox.refundsOf(id)).map(({ status }) => status).sort();

  test('and whose refund came back is open again; sent again, it is a new refund', async () => {
    const { id } = await unbooked();
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    await comesBack(id);
    expect(await hint(id)).toMatchObject({ outcome: 'refund_failed' });
    expect(await hint(id)).toMatchObject({ outcome: 'nothing_to_do: missing' });
    expect(await lateTruth(id)).toMatchObject({ status: 'open', decidedBy: null, decidedAt: null });
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await states(id)).toEqual(['failed', 'succeeded']);
  });

  test('and whose refund failed before anybody called it done can be sent again', async () => {
    const { id } = await unbooked();
    script.createRefund = async (request) => {
      await stand.provider.createRefund(request);
      return { kind: 'ambiguous', code: 'provider_timeout' };
    };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_timeout' });
    script = {};
    await comesBack(id);
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_failed' });
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await states(id)).toEqual(['failed', 'succeeded']);
  });

  test('and whose refund the bank thought over is dealt with by the event that says it is done', async () => {
    const { id } = await unbooked();
    script.createRefund = async (request) => {
      await stand.provider.createRefund(request);
      return pending();
    };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_pending' });
    script = {};
    expect(await hint(id)).toMatchObject({ outcome: 'late_truth_refunded' });
    expect(await lateTruth(id)).toMatchObject({ status: 'refunded', decidedBy: 'operator:1' });
  });
});

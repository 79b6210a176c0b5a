import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import {
  createEventFollower,
  createPaymentKind,
  createRefundKind,
  openException,
  type PaymentProvider,
  type RefundResult,
  refundException,
} from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { processProviderEvent } from './provider-events.ts';
import { createEventReceiver } from './receive-events.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let provider: PaymentProvider;
let reconciler: Reconciler;
/** Replaces calls of the provider. */
let script: Partial<PaymentProvider> = {};

beforeAll(async () => {
  harness = await openPaymentHarness();
  provider = {
    ...harness.provider,
    findRefund: (request) => (script.findRefund ?? harness.provider.findRefund)(request),
    createRefund: (request) => (script.createRefund ?? harness.provider.createRefund)(request),
  };
  const investigators = [createRefundKind.createInvestigator({ db: harness.db, provider })];
  reconciler = createReconciler({ ...harness, investigators });
});
beforeEach(() => {
  script = {};
});
afterAll(() => harness.close());

const parts = () => {
  const { db, engine } = harness;
  return { db, provider, engine, reconciler, follower: createEventFollower({ db, provider }) };
};
/** What the refund's follower does about an event of this operation. */
const follow = (operationId: string) => {
  const event = { operation: harness.refOf(operationId), object: 'refund', intentId: undefined };
  return createRefundKind.createFollower({ db: harness.db, provider }).follow(event);
};
/** Our metadata on a refund. */
const ofFirstTry = { generation: 1, reference: 'return-1' };
const respond = (result: RefundResult) => async () => result;
const pending = respond({
  kind: 'responded',
  refund: { id: 're_x', state: 'pending', amountMinor: 1200, currency: 'usd', ...ofFirstTry },
});
const noResponse = respond({ kind: 'ambiguous', code: 'provider_timeout' });
const decide = (id: string, actor = 'operator:1') =>
  refundException(parts(), harness.tenantId, id, { actor, reason: 'The shopper wrote to us.' });
const exceptionOf = (id: string) =>
  harness.db.reconciliationException.findFirstOrThrow({ where: { tenantId: harness.tenantId, id } });

async function pay() {
  const payCommand = command();
  return {
    ...(bodyOf(await harness.pay(payCommand, newKey())) as unknown as { paymentId: string }),
    payCommand,
  };
}

function refund(paymentId: string, amountMinor: number, key = newKey()) {
  const input = { paymentId, amountMinor, reference: key };
  const request = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key, input };
  return harness.engine.run(createRefundKind.definition, request, (execution) =>
    createRefundKind.handle(provider, execution, input),
  );
}

async function refundedOperation(amountMinor = 500) {
  const { paymentId, payCommand } = await pay();
  const key = newKey();
  const { operationId } = bodyOf(await refund(paymentId, amountMinor, key)) as unknown as {
    operationId: string;
  };
  return { paymentId, operationId, key, amountMinor, payCommand };
}

/** The bank returns the operation's last refund. */
async function returnRefund(operationId: string): Promise<void> {
  const made = (await harness.sandbox.refundsOf(operationId)).find(({ status }) => status === 'succeeded');
  await harness.sandbox.control('refunds/fail', { refund: made?.id });
}

/** What the merchant is owed for this payment. */
async function balanceOf(paymentId: string): Promise<number> {
  const entries = await harness.db.ledgerEntry.findMany({
    where: { paymentId, account: 'provider_receivable' },
  });
  return entries.reduce((sum, { amountMinor }) => sum + Number(amountMinor), 0);
}

/** A webhook: the event is stored, and the worker's job processes it. */
async function receiveEvent(
  operationId: string,
  intentId?: string | null,
): Promise<{ status: string; outcome: string | null }> {
  const eventId = `evt_${randomUUID()}`;
  const object = { object: 'refund', id: 're_x', payment_intent: intentId };
  const payload = JSON.stringify({ data: { object } });
  await createEventReceiver(createPrismaDriver(harness.db))({
    provider: 'sandbox',
    ...{ eventId, type: 'refund.failed', operation: harness.refOf(operationId), payload },
  });
  const { id } = await harness.db.providerEvent.findFirstOrThrow({ where: { eventId } });
  await processProviderEvent(parts(), id);
  return harness.db.providerEvent.findUniqueOrThrow({
    where: { id },
    select: { status: true, outcome: true },
  });
}

describe('a booked refund that the bank returns days later', () => {
  test('is booked back, can be refunded again, and opens an exception, once however many events arrive', async () => {
    const { paymentId, operationId, key, amountMinor } = await refundedOperation();
    const first = bodyOf(await refund(paymentId, amountMinor, key));
    expect(await balanceOf(paymentId)).toBe(700);
    await returnRefund(operationId);

    expect(await receiveEvent(operationId)).toEqual({ status: 'processed', outcome: 'refund_failed' });
    expect(await receiveEvent(operationId)).toEqual({
      status: 'processed',
      outcome: 'nothing_to_do: completed',
    });
    expect(await Promise.all([1, 2, 3].map(() => follow(operationId)))).toEqual([
      ...[undefined, undefined, undefined],
    ]);

    expect(await balanceOf(paymentId)).toBe(1200);
    const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
    expect(payment.refundedMinor).toBe(0n);
    expect(await harness.db.refund.findFirstOrThrow({ where: { operationId } })).toMatchObject({
      status: 'failed',
      failedAt: expect.any(Date),
    });
    const events = await harness.db.outboxEvent.findMany({
      where: { paymentId },
      orderBy: { createdAt: 'asc' },
    });
    expect(events.map(({ type }) => type)).toEqual([
      ...['payment.succeeded', 'refund.succeeded', 'refund.failed'],
    ]);
    expect(await harness.db.reconciliationException.findMany({ where: { paymentId } })).toMatchObject([
      { reason: 'refund_failed', status: 'open' },
    ]);
    // The stored response stays as it was.
    expect(bodyOf(await refund(paymentId, amountMinor, key))).toEqual(first);
  });

  test('processed by four workers at once it is booked back once', async () => {
    const { paymentId, operationId } = await refundedOperation();
    await returnRefund(operationId);
    const followed = await Promise.all([1, 2, 3, 4].map(() => follow(operationId)));
    expect(followed.filter((one) => one !== undefined)).toEqual([
      { kind: 'changed', outcome: 'refund_failed' },
    ]);
    expect(await balanceOf(paymentId)).toBe(1200);
  });

  test('is refunded again by an operator: its own amount, once; and if that is returned as well, another exception is opened', async () => {
    const { paymentId, operationId, amountMinor } = await refundedOperation();
    await returnRefund(operationId);
    await receiveEvent(operationId);
    const first = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });

    const clicks = await Promise.all([decide(first.id, 'operator:1'), decide(first.id, 'operator:2')]);
    expect(clicks.map(({ kind }) => kind)).toContain('refunded');
    const again = await exceptionOf(first.id);
    expect(again).toMatchObject({ status: 'refunded', decidedAt: expect.any(Date) });
    expect(await balanceOf(paymentId)).toBe(1200 - amountMinor);

    const second = again.refundOperationId ?? '';
    await returnRefund(second);
    expect(await receiveEvent(second)).toMatchObject({ outcome: 'refund_failed' });
    const exceptions = await harness.db.reconciliationException.findMany({
      where: { paymentId },
      orderBy: { foundAt: 'asc' },
    });
    expect(exceptions.map(({ status }) => status)).toEqual(['refunded', 'open']);
    expect(await balanceOf(paymentId)).toBe(1200);
  });

  test('an event is no evidence: while the provider lists the refund as succeeded nothing changes', async () => {
    const { paymentId, operationId, amountMinor } = await refundedOperation();
    expect(await receiveEvent(operationId)).toEqual({
      status: 'processed',
      outcome: 'nothing_to_do: completed',
    });
    expect(await balanceOf(paymentId)).toBe(1200 - amountMinor);
    expect(await harness.db.reconciliationException.count({ where: { paymentId } })).toBe(0);
  });

  test('the event is kept while the provider does not respond', async () => {
    const { operationId } = await refundedOperation();
    await returnRefund(operationId);
    script.findRefund = noResponse;
    await expect(receiveEvent(operationId)).rejects.toThrow(
      'The provider gave no definitive response (provider_timeout)',
    );
    const [kept] = await harness.db.providerEvent.findMany({ where: { operationId } });
    expect(kept).toMatchObject({ status: 'received' });
    script = {};
    await processProviderEvent(parts(), kept?.id ?? '');
    expect(await harness.db.refund.findFirstOrThrow({ where: { operationId } })).toMatchObject({
      status: 'failed',
    });
  });

  test('the database refuses to change a final refund or its command', async () => {
    const { operationId } = await refundedOperation();
    const set = (data: object) =>
      harness.db.refund.update({
        where: { tenantId_operationId: { tenantId: harness.tenantId, operationId } },
        data,
      });
    for (const status of ['pending', 'released']) {
      await expect(set({ status, completedAt: null })).rejects.toThrow('is succeeded, which is final');
    }
    await expect(set({ amountMinor: 1 })).rejects.toThrow('never changes');
    await expect(set({ status: 'failed' })).rejects.toThrow('refund_failed');
    await returnRefund(operationId);
    await follow(operationId);
    await expect(set({ status: 'succeeded', failedAt: null })).rejects.toThrow('is failed, which is final');
    const { paymentId } = await pay();
    script.createRefund = noResponse;
    await refund(paymentId, 100);
    await expect(
      harness.db.refund.updateMany({
        where: { paymentId, status: 'pending' },
        data: { status: 'failed', completedAt: new Date(), failedAt: new Date() },
      }),
    ).rejects.toThrow('only a succeeded refund can fail later');
    script = {};
    const { operationId: unknown } = await harness.db.refund.findFirstOrThrow({ where: { paymentId } });
    expect(await reconciler.reconcile(harness.refOf(unknown), 'test')).toMatchObject({ kind: 'completed' });
  });
});

describe('an exception about a booked payment whose refund is pending', () => {
  /** A payment of a cancelled order, and a decided refund whose outcome is unknown. */
  async function decidedAndPending() {
    const { tenantId, db } = harness;
    const { paymentId } = await pay();
    const { providerIntentId } = await db.payment.findFirstOrThrow({ where: { id: paymentId } });
    const intentId = providerIntentId ?? '';
    await openException(db, { tenantId, paymentId, intentId, reason: 'order_cancelled' });
    const { id } = await db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
    script = { createRefund: noResponse };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'operation_unknown' });
    script = {};
    return { id, operationId: (await exceptionOf(id)).refundOperationId ?? '' };
  }

  test('is closed when the refund completes, also by the poller', async () => {
    const { id, operationId } = await decidedAndPending();
    expect(await exceptionOf(id)).toMatchObject({
      status: 'open',
      decidedBy: 'operator:1',
      decidedAt: expect.any(Date),
    });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
      kind: 'completed',
    });
    expect(await exceptionOf(id)).toMatchObject({ status: 'refunded', decidedAt: expect.any(Date) });
    expect(await harness.sandbox.refundsOf(operationId)).toHaveLength(1);
  });

  test('can be refunded under a new key when the old one failed and has expired', async () => {
    const { id, operationId } = await decidedAndPending();
    script.findRefund = respond({
      kind: 'responded',
      refund: { id: 're_x', state: 'failed', amountMinor: 1200, currency: 'usd', ...ofFirstTry },
    });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
      kind: 'released',
    });
    script = {};
    await harness.db.$executeRaw`
      UPDATE idempotency_record SET status = 'expired', completed_at = now()
      WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await exceptionOf(id)).toMatchObject({ status: 'refunded', generation: 2 });
  });
});

describe('an exception about money that was never booked', () => {
  async function unbooked() {
    const payCommand = command({ paymentMethod: 'pm_fault_rate_limited' });
    await harness.pay(payCommand, newKey());
    const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
    const intentId = payment.providerIntentId ?? '';
    // The intent is confirmed in the provider's own dashboard.
    await fetch(`${harness.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
      body: new URLSearchParams({
        payment_method: 'pm_card_visa',
        return_url: 'https://shop.example/return',
      }),
    });
    const event = { operation: harness.refOf(payment.operationId), object: 'payment_intent', intentId };
    expect(await createPaymentKind.createFollower(harness).follow(event)).toMatchObject({ kind: 'changed' });
    return harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
  }
  const states = async (id: string) =>
    (await harness.sandbox.refundsOf(id)).map(({ status }) => status).sort();

  test('whose refund was returned is open again; the next refund is a new one', async () => {
    const { id, intentId, paymentId } = await unbooked();
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await receiveEvent(id, intentId)).toMatchObject({ outcome: 'nothing_to_do: missing' });
    await returnRefund(id);
    expect(await receiveEvent(id, intentId)).toMatchObject({ outcome: 'refund_failed' });
    expect(await receiveEvent(id, intentId)).toMatchObject({ outcome: 'nothing_to_do: missing' });
    // It is not taken for a refund that our database has lost.
    expect(await harness.db.refund.count({ where: { paymentId } })).toBe(0);
    expect(await harness.db.reconciliationException.count({ where: { paymentId } })).toBe(1);
    expect(await exceptionOf(id)).toMatchObject({ status: 'open', decidedBy: null, decidedAt: null });
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await states(id)).toEqual(['failed', 'succeeded']);
  });

  test('whose refund was returned is open again, also if the provider refused another request for it meanwhile', async () => {
    const { id, intentId } = await unbooked();
    script.createRefund = async () => {
      script = {};
      expect(await decide(id, 'operator:2')).toEqual({ kind: 'refunded' });
      return { kind: 'rejected', code: 'StripeAuthenticationError' };
    };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_rejected' });
    expect(await exceptionOf(id)).toMatchObject({ status: 'refunded' });
    await returnRefund(id);
    expect(await receiveEvent(id, intentId)).toMatchObject({ outcome: 'refund_failed' });
    expect(await exceptionOf(id)).toMatchObject({ status: 'open' });
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await states(id)).toEqual(['failed', 'succeeded']);
  });

  test('whose refund failed before it was confirmed can be refunded again', async () => {
    const { id } = await unbooked();
    script.createRefund = async (request) => {
      await harness.provider.createRefund(request);
      return { kind: 'ambiguous', code: 'provider_timeout' };
    };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_timeout' });
    script = {};
    await returnRefund(id);
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_failed' });
    expect(await decide(id)).toEqual({ kind: 'refunded' });
    expect(await states(id)).toEqual(['failed', 'succeeded']);
  });

  test('of which the provider paid back another amount stays open', async () => {
    const { id, intentId } = await unbooked();
    script.createRefund = (request) => harness.provider.createRefund({ ...request, amountMinor: 1 });
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'contradictory' });
    script = {};
    expect(await exceptionOf(id)).toMatchObject({ status: 'open', decidedBy: null });
    await receiveEvent(id, intentId);
    expect(await exceptionOf(id)).toMatchObject({ status: 'open', decidedBy: null });
  });

  test('whose refund was pending is closed by the event of its success', async () => {
    const { id, intentId } = await unbooked();
    script.createRefund = async (request) => {
      await harness.provider.createRefund(request);
      return pending();
    };
    expect(await decide(id)).toEqual({ kind: 'not_yet', code: 'provider_pending' });
    script = {};
    expect(await receiveEvent(id, intentId)).toMatchObject({ outcome: 'exception_refunded' });
    expect(await exceptionOf(id)).toMatchObject({ status: 'refunded', decidedBy: 'operator:1' });
  });
});

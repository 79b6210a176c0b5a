import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { completePayment, findPaymentByOperation, type Payment } from '#payments/index.ts';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { checkOut } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

async function order() {
  const placed = await checkOut(harness.db, 'acme', newCart([{ slug: 'mug', quantity: 1 }]));
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  return harness.db.order.findUniqueOrThrow({ where: { id: placed.orderId } });
}

async function paymentOf(paymentId: string): Promise<Payment> {
  const { tenantId } = harness;
  const row = await harness.db.payment.findFirstOrThrow({ where: { tenantId, id: paymentId } });
  const payment = await findPaymentByOperation(harness.db, { tenantId, id: row.operationId });
  if (!payment) throw new Error('The payment is gone.');
  return payment;
}

const charged = () => ({ kind: 'succeeded', intentId: `pi_${randomUUID()}`, chargeId: 'ch_1' }) as const;

async function complete(paymentId: string): Promise<void> {
  const payment = await paymentOf(paymentId);
  await harness.db.$transaction((tx) => completePayment(tx, payment, charged()));
}

test('an unpaid order is cancelled, and stays so however often that is requested', async () => {
  const unpaid = await order();
  expect(await cancelOrder(harness.db, unpaid)).toEqual({ kind: 'cancelled', paymentUnderWay: false });
  const { cancelledAt } = await harness.db.order.findUniqueOrThrow({ where: { id: unpaid.id } });
  expect(cancelledAt).not.toBeNull();
  await cancelOrder(harness.db, unpaid);
  expect(await harness.db.order.findUniqueOrThrow({ where: { id: unpaid.id } })).toMatchObject({
    cancelledAt,
  });
});

test('a paid order is not cancelled', async () => {
  const paid = await order();
  await harness.pay(paid.id, 'succeeded');
  expect(await cancelOrder(harness.db, paid)).toEqual({ kind: 'paid' });
  expect(await harness.db.order.findUniqueOrThrow({ where: { id: paid.id } })).toMatchObject({
    cancelledAt: null,
  });
});

test('a payment under way is reported, and flagged when it succeeds', async () => {
  const tried = await order();
  const paymentId = await harness.pay(tried.id, 'pending');
  expect(await cancelOrder(harness.db, tried)).toEqual({ kind: 'cancelled', paymentUnderWay: true });
  await complete(paymentId);
  expect(
    await harness.db.reconciliationException.count({ where: { paymentId, reason: 'order_cancelled' } }),
  ).toBe(1);
});

/** Resolves when a session waits for a lock, or when the given work ended without waiting. */
async function untilBlocked(waiting: Promise<unknown>): Promise<void> {
  let ended = false;
  void waiting.then(() => {
    ended = true;
  });
  while (!ended) {
    const [row] = await harness.db.$queryRaw<{ blocked: bigint }[]>`
      SELECT count(*) AS blocked FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if (row && row.blocked > 0n) return;
  }
}

test('the money comes in the moment of the cancellation and is first: the order is paid', async () => {
  const both = await order();
  const payment = await paymentOf(await harness.pay(both.id, 'pending'));
  const cancelling = await harness.db.$transaction(async (tx) => {
    await completePayment(tx, payment, charged());
    const second = cancelOrder(harness.db, both);
    await untilBlocked(second);
    return { second };
  });
  expect(await cancelling.second).toEqual({ kind: 'paid' });
  expect(await harness.db.order.findUniqueOrThrow({ where: { id: both.id } })).toMatchObject({
    cancelledAt: null,
  });
});

test('the cancellation comes in the moment of the payment and is first: the money is flagged', async () => {
  const both = await order();
  const paymentId = await harness.pay(both.id, 'pending');
  const completing = await harness.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${both.id}::uuid`;
    const second = complete(paymentId);
    await untilBlocked(second);
    return { second };
  });
  await completing.second;
  expect(
    await harness.db.reconciliationException.count({ where: { paymentId, reason: 'order_cancelled' } }),
  ).toBe(1);
});

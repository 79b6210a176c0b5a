import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPaymentByOperation, type Payment, settlePayment } from '#payments/index.ts';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { checkOut } from './place-order.ts';
import { openShopStand, type ShopStand } from './testing/harness.ts';

let stand: ShopStand;
beforeAll(async () => {
  stand = await openShopStand();
});
afterAll(() => stand.close());

async function order() {
  const placed = await checkOut(stand.db, 'acme', newCart([{ slug: 'mug', quantity: 1 }]));
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  return stand.db.order.findUniqueOrThrow({ where: { id: placed.orderId } });
}

async function paymentOf(paymentId: string): Promise<Payment> {
  const row = await stand.db.payment.findUniqueOrThrow({ where: { id: paymentId } });
  const payment = await findPaymentByOperation(stand.db, row.operationId);
  if (!payment) throw new Error('The payment is gone.');
  return payment;
}

const charged = () => ({ kind: 'succeeded', intentId: `pi_${randomUUID()}`, chargeId: 'ch_1' }) as const;

async function settle(paymentId: string): Promise<void> {
  const payment = await paymentOf(paymentId);
  await stand.db.$transaction((tx) => settlePayment(tx, payment, charged()));
}

test('an unpaid order is cancelled, and stays so however often that is asked', async () => {
  const unpaid = await order();
  expect(await cancelOrder(stand.db, unpaid)).toEqual({ kind: 'cancelled', paymentUnderWay: false });
  const { cancelledAt } = await stand.db.order.findUniqueOrThrow({ where: { id: unpaid.id } });
  expect(cancelledAt).not.toBeNull();
  await cancelOrder(stand.db, unpaid);
  expect(await stand.db.order.findUniqueOrThrow({ where: { id: unpaid.id } })).toMatchObject({ cancelledAt });
});

test('a paid order is not cancelled', async () => {
  const paid = await order();
  await stand.pay(paid.id, 'succeeded');
  expect(await cancelOrder(stand.db, paid)).toEqual({ kind: 'paid' });
  expect(await stand.db.order.findUniqueOrThrow({ where: { id: paid.id } })).toMatchObject({
    cancelledAt: null,
  });
});

test('a payment under way is told, and its money flagged when it comes', async () => {
  const tried = await order();
  const paymentId = await stand.pay(tried.id, 'pending');
  expect(await cancelOrder(stand.db, tried)).toEqual({ kind: 'cancelled', paymentUnderWay: true });
  await settle(paymentId);
  expect(await stand.db.lateTruth.count({ where: { paymentId, reason: 'order_cancelled' } })).toBe(1);
});

/** Comes back when somebody waits for a lock, or when what was to wait has ended without. */
async function untilBlocked(waiting: Promise<unknown>): Promise<void> {
  let ended = false;
  void waiting.then(() => {
    ended = true;
  });
  while (!ended) {
    const [row] = await stand.db.$queryRaw<{ blocked: bigint }[]>`
      SELECT count(*) AS blocked FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    if (row && row.blocked > 0n) return;
  }
}

test('the money comes in the moment of the cancellation and is first: the order is paid', async () => {
  const both = await order();
  const payment = await paymentOf(await stand.pay(both.id, 'pending'));
  const cancelling = await stand.db.$transaction(async (tx) => {
    await settlePayment(tx, payment, charged());
    const second = cancelOrder(stand.db, both);
    await untilBlocked(second);
    return { second };
  });
  expect(await cancelling.second).toEqual({ kind: 'paid' });
  expect(await stand.db.order.findUniqueOrThrow({ where: { id: both.id } })).toMatchObject({
    cancelledAt: null,
  });
});

test('the cancellation comes in the moment of the payment and is first: a person is shown the money', async () => {
  const both = await order();
  const paymentId = await stand.pay(both.id, 'pending');
  const settling = await stand.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${both.id}::uuid`;
    const second = settle(paymentId);
    await untilBlocked(second);
    return { second };
  });
  await settling.second;
  expect(await stand.db.lateTruth.count({ where: { paymentId, reason: 'order_cancelled' } })).toBe(1);
});

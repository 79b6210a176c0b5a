import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPaymentByOperation, settlePayment } from '#payments/index.ts';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { checkOut } from './place-order.ts';
import { openShopStand, type ShopStand } from './testing/stand.ts';

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

async function settle(paymentId: string): Promise<void> {
  const row = await stand.db.payment.findUniqueOrThrow({ where: { id: paymentId } });
  const payment = await findPaymentByOperation(stand.db, row.operationId);
  if (!payment) throw new Error('The payment is gone.');
  const result = { kind: 'succeeded', intentId: `pi_${randomUUID()}`, chargeId: 'ch_1' } as const;
  await stand.db.$transaction((tx) => settlePayment(tx, payment, result));
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

test('cancelled and charged in the same moment: either the order is paid, or a person is shown the money', async () => {
  for (let round = 0; round < 20; round += 1) {
    const both = await order();
    const paymentId = await stand.pay(both.id, 'pending');
    const [outcome] = await Promise.all([cancelOrder(stand.db, both), settle(paymentId)]);
    const flagged = await stand.db.lateTruth.count({ where: { paymentId } });
    expect(flagged).toBe(outcome.kind === 'paid' ? 0 : 1);
  }
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openException } from '#payments/index.ts';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { findOrder } from './find-order.ts';
import { viewOrderPayments } from './order-payments.ts';
import { buyNow, checkOut } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';
import { viewCart } from './view-cart.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

/** An order whose payment was released, and was found to be charged. */
async function chargedAfterRelease() {
  const cart = newCart([{ slug: 'mug', quantity: 1 }]);
  const placed = await checkOut(harness.db, 'acme', cart);
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  const { tenantId } = harness;
  const paymentId = await harness.pay(placed.orderId, 'released');
  const intentId = `pi_${randomUUID()}`;
  await openException(harness.db, { tenantId, paymentId, intentId, reason: 'charged_after_release' });
  const decide = (status: string) =>
    harness.db.reconciliationException.updateMany({
      where: { paymentId },
      data: { status, decidedAt: new Date(), decidedBy: 'operator:1' },
    });
  return { cart, orderId: placed.orderId, decide };
}

async function paymentsOf(orderId: string) {
  const order = await harness.db.order.findUniqueOrThrow({ where: { id: orderId } });
  const found = await findOrder(harness.db, orderId);
  const watched = await viewOrderPayments(harness.db, order);
  return {
    labels: found?.payments.map(({ label }) => label),
    statuses: found?.payments.map(({ status }) => status),
    watched: watched.map(({ status }) => status),
  };
}

test('a payment that was found to be charged is under review until an operator has decided, and then shown as they decided', async () => {
  const { orderId, decide } = await chargedAfterRelease();
  expect(await paymentsOf(orderId)).toEqual({
    labels: ['Found to be charged: the shop is checking it'],
    statuses: ['under_review'],
    watched: ['under_review'],
  });
  await decide('refunded');
  expect(await paymentsOf(orderId)).toEqual({
    labels: ['Found to be charged, and sent back'],
    statuses: ['sent_back'],
    watched: ['sent_back'],
  });
  await decide('dismissed');
  expect(await paymentsOf(orderId)).toMatchObject({
    labels: ['Found to be charged, and kept by the shop: nothing more is due'],
    statuses: ['kept'],
    watched: ['kept'],
  });
});

test('a cart names its order whose payment the shop is checking, and keeps what is in it', async () => {
  const { cart, orderId, decide } = await chargedAfterRelease();
  expect(await viewCart(harness.db, 'acme', cart)).toMatchObject({
    count: 1,
    pending: [],
    paid: null,
    underReview: [{ id: orderId }],
  });
  await decide('refunded');
  expect(await viewCart(harness.db, 'acme', cart)).toMatchObject({ count: 1, underReview: [] });
});

test('an order whose charge the shop keeps is over as a paid one is: it leaves the cart, and cannot be cancelled', async () => {
  const { cart, orderId, decide } = await chargedAfterRelease();
  await decide('dismissed');
  expect(await viewCart(harness.db, 'acme', cart)).toMatchObject({
    count: 0,
    hasPaidOrder: true,
    paid: { id: orderId },
    underReview: [],
  });
  // From a page that was left open, and as another press of Buy now.
  expect(await checkOut(harness.db, 'acme', cart)).toEqual({ kind: 'paid', orderId });
  const again = await buyNow(harness.db, 'acme', cart);
  expect(again).toMatchObject({ kind: 'placed' });
  expect(again).not.toMatchObject({ orderId });
  const order = await harness.db.order.findUniqueOrThrow({ where: { id: orderId } });
  expect(await cancelOrder(harness.db, order)).toEqual({ kind: 'paid' });
  await decide('refunded');
  expect(await cancelOrder(harness.db, order)).toEqual({ kind: 'cancelled', paymentUnderWay: false });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPaymentByOperation, type Payment } from '#payments/index.ts';
import type { OutboxMessage } from '#payments/outbox/index.ts';
import { completePayment } from '#payments/testing/complete-payment.ts';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { flagCancelledOrders } from './flag-cancelled-order.ts';
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

/** The payment succeeds: committed with its event, which no consumer has seen yet. */
async function complete(paymentId: string): Promise<OutboxMessage> {
  const payment = await paymentOf(paymentId);
  const result = { kind: 'succeeded', intentId: `pi_${randomUUID()}`, chargeId: 'ch_1' } as const;
  await completePayment(harness.db, payment, result);
  return harness.db.outboxEvent.findFirstOrThrow({ where: { paymentId }, include: { payment: true } });
}

const consume = (event: OutboxMessage) => harness.db.$transaction((tx) => flagCancelledOrders(tx, [event]));
const flagsOf = (paymentId: string) =>
  harness.db.reconciliationException.count({ where: { paymentId, reason: 'order_cancelled' } });

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
  const event = await complete(paymentId);
  await consume(event);
  // A queue delivers at least once.
  await consume(event);
  expect(await flagsOf(paymentId)).toBe(1);
});

test('a payment of a cancelled order that was refunded before its event is consumed is not shown', async () => {
  const tried = await order();
  const paymentId = await harness.pay(tried.id, 'pending');
  await cancelOrder(harness.db, tried);
  const event = await complete(paymentId);
  const { tenantId, amountMinor } = event.payment;
  await harness.db.refund.create({
    data: {
      ...{ tenantId, id: randomUUID(), operationId: randomUUID(), paymentId, amountMinor },
      ...{ reference: 'return-1', status: 'succeeded', completedAt: new Date() },
    },
  });
  await consume(event);
  expect(await harness.db.reconciliationException.findMany({ where: { paymentId } })).toMatchObject([
    { status: 'refunded', decisionReason: 'It was refunded in full: return-1.' },
  ]);
});

test('a paid order that was not cancelled is not flagged, nor is a payment without an order of ours', async () => {
  const paid = await order();
  const paymentId = await harness.pay(paid.id, 'pending');
  const event = await complete(paymentId);
  await consume(event);
  await consume({ ...event, payment: { ...event.payment, reference: 'an invoice of the merchant' } });
  expect(await flagsOf(paymentId)).toBe(0);
});

test('a declined payment of a cancelled order is not flagged', async () => {
  const declined = await order();
  const paymentId = await harness.pay(declined.id, 'pending');
  await cancelOrder(harness.db, declined);
  const event = await complete(paymentId);
  await consume({ ...event, type: 'payment.declined' });
  expect(await flagsOf(paymentId)).toBe(0);
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

describe('a cancellation in the moment in which the payment succeeds', () => {
  test('and the consumer has the order first: the order is paid, and not cancelled', async () => {
    const both = await order();
    const paymentId = await harness.pay(both.id, 'pending');
    const event = await complete(paymentId);
    const { second } = await harness.db.$transaction(async (tx) => {
      await flagCancelledOrders(tx, [event]);
      const second = cancelOrder(harness.db, both);
      await untilBlocked(second);
      return { second };
    });
    expect(await second).toEqual({ kind: 'paid' });
    expect(await harness.db.order.findUniqueOrThrow({ where: { id: both.id } })).toMatchObject({
      cancelledAt: null,
    });
    expect(await flagsOf(paymentId)).toBe(0);
  });

  test('and the cancellation has the order first: the money is flagged', async () => {
    const both = await order();
    const paymentId = await harness.pay(both.id, 'pending');
    const { second } = await harness.db.$transaction(async (tx) => {
      // What cancelOrder has done by now: it has found the payment pending, and has not committed.
      await tx.$executeRaw`UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${both.id}::uuid`;
      const second = consume(await complete(paymentId));
      await untilBlocked(second);
      return { second };
    });
    await second;
    expect(await flagsOf(paymentId)).toBe(1);
  });

  test('and it waits for the order while the payment succeeds: it reads the payment after that, and the order is paid', async () => {
    const both = await order();
    const paymentId = await harness.pay(both.id, 'pending');
    const { second } = await harness.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT id FROM shop_order WHERE id = ${both.id}::uuid FOR UPDATE`;
      const second = cancelOrder(harness.db, both);
      await untilBlocked(second);
      await complete(paymentId);
      return { second };
    });
    expect(await second).toEqual({ kind: 'paid' });
  });
});

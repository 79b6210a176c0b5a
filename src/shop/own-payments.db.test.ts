import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Prisma } from '#prisma';
import { cancelOrder } from './cancel-order.ts';
import { newCart } from './cart.ts';
import { findOrder } from './find-order.ts';
import { viewOrderPayments } from './order-payments.ts';
import { createPurchaseCheck } from './own-payments.ts';
import { checkOut } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';
import { viewCart } from './view-cart.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

async function place(cart = newCart([{ slug: 'mug', quantity: 1 }])) {
  const placed = await checkOut(harness.db, 'acme', cart);
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  return harness.db.order.findUniqueOrThrow({ where: { id: placed.orderId } });
}

const others = [
  ['less', { amountMinor: 50n }],
  ['more', { amountMinor: 1_801n }],
  ['another currency', { currency: 'jpy' }],
] as const;

describe.each(others)('a payment of %s under the number of an order', (_, over) => {
  test.each(['pending', 'succeeded'] as const)('is none of the order: %s', async (status) => {
    const cart = newCart([{ slug: 'mug', quantity: 1 }]);
    const order = await place(cart);
    await harness.pay(order.id, status, over);
    expect(await findOrder(harness.db, order.id)).toMatchObject({ payments: [], receipt: null });
    expect(await viewOrderPayments(harness.db, order)).toEqual([]);
    expect(await viewCart(harness.db, 'acme', cart)).toMatchObject({ count: 1, paid: null, pending: [] });
    expect(await checkOut(harness.db, 'acme', cart)).toEqual({ kind: 'placed', orderId: order.id });
    expect(await cancelOrder(harness.db, order)).toEqual({ kind: 'cancelled', paymentUnderWay: false });
  });

  test('is refused', async () => {
    const { tenantId, number: reference, amountMinor } = await place();
    const given = { tenantId, reference, currency: 'eur' as const, amountMinor: Number(amountMinor) };
    const check = createPurchaseCheck(harness.db);
    const changed = { ...over, ...('amountMinor' in over && { amountMinor: Number(over.amountMinor) }) };
    expect(await check({ ...given, ...(changed as object) })).toMatchObject({
      spec: { code: 'order_amount_differs' },
    });
    expect(await check(given)).toBeUndefined();
  });
});

test('a cancelled order is not charged by the merchant’s server, also when it is cancelled at that moment', async () => {
  const { tenantId, id, number: reference, amountMinor } = await place();
  const given = { tenantId, reference, currency: 'eur' as const, amountMinor: Number(amountMinor) };
  const check = createPurchaseCheck(harness.db);
  const { checked } = await harness.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${id}::uuid`;
    // It is asked while the cancellation is not committed, and has to wait for it.
    return { checked: check(given) };
  });
  expect(await checked).toMatchObject({ spec: { code: 'order_cancelled' } });
  expect(await check({ ...given, amountMinor: 1 })).toMatchObject({ spec: { code: 'order_cancelled' } });
});

test('the number of another shop’s order, or of none, is a reference like any other', async () => {
  const { number: reference } = await place();
  const given = { reference, currency: 'usd' as const, amountMinor: 1 };
  const check = createPurchaseCheck(harness.db);
  expect(await check({ ...given, tenantId: harness.tenantId })).toBeDefined();
  expect(await check({ ...given, tenantId: randomUUID() })).toBeUndefined();
  expect(await check({ ...given, tenantId: harness.tenantId, reference: 'ACME-23456789' })).toBeUndefined();
});

test('a reference that cannot be the number of an order costs no statement', async () => {
  const check = createPurchaseCheck({} as Prisma.TransactionClient);
  const given = { tenantId: harness.tenantId, currency: 'usd' as const, amountMinor: 1 };
  expect(await check({ ...given, reference: 'invoice-7781' })).toBeUndefined();
  await expect(check({ ...given, reference: 'ACME-23456789' })).rejects.toThrow();
});

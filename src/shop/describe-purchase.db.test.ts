import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCart } from './cart.ts';
import { createDescribePurchase } from './describe-purchase.ts';
import { checkOut } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

const describePurchase = createDescribePurchase('https://shop.example');

test('an order is described by its lines at the prices it was ordered for, its time and its address', async () => {
  const cart = newCart([
    { slug: 'mug', quantity: 2 },
    { slug: 'beans', quantity: 1 },
  ]);
  const placed = await checkOut(harness.db, 'acme', cart);
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  const order = await harness.db.order.findUniqueOrThrow({ where: { id: placed.orderId } });
  await harness.db.product.updateMany({ where: { tenantId: harness.tenantId }, data: { amountMinor: 1n } });
  expect(await describePurchase(harness.db, harness.tenantId, order.number)).toEqual({
    orderedAt: order.createdAt,
    orderUrl: `https://shop.example/orders/${order.id}`,
    lines: [
      { name: 'beans', quantity: 1, amount: { amountMinor: 1450, currency: 'eur' } },
      { name: 'mug', quantity: 2, amount: { amountMinor: 3600, currency: 'eur' } },
    ],
  });
});

test('a reference that is no order of the tenant describes nothing', async () => {
  const { number } = await harness.db.order.findFirstOrThrow();
  expect(await describePurchase(harness.db, harness.tenantId, 'invoice-1')).toBeUndefined();
  expect(await describePurchase(harness.db, 'another-tenant', number)).toBeUndefined();
});

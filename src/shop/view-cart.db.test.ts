import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cart, newCart } from './cart.ts';
import { findOrder } from './find-order.ts';
import { checkOut } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';
import { viewCart } from './view-cart.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

const line = (slug: string, quantity: number) => ({ slug, quantity });

async function view(cart: Cart) {
  const viewed = await viewCart(harness.db, 'acme', cart);
  if (!viewed) throw new Error('There is no such shop.');
  return viewed;
}

async function order(cart: Cart): Promise<string> {
  const placed = await checkOut(harness.db, 'acme', cart);
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  return placed.orderId;
}

const quantities = (viewed: Awaited<ReturnType<typeof view>>) =>
  Object.fromEntries(viewed.lines.map(({ slug, quantity }) => [slug, quantity]));

test('a cart is priced by the shop', async () => {
  expect(await view(newCart([line('beans', 2), line('mug', 1)]))).toMatchObject({
    total: { amountMinor: 4700, currency: 'eur' },
    count: 3,
    hasPaidOrder: false,
  });
});

test('what is merely ordered, declined or under way stays in the cart', async () => {
  const cart = newCart([line('mug', 1)]);
  const orderId = await order(cart);
  expect(quantities(await view(cart))).toEqual({ mug: 1 });
  await harness.pay(orderId, 'declined');
  expect(quantities(await view(cart))).toEqual({ mug: 1 });
  await harness.pay(orderId, 'pending');
  expect(await view(cart)).toMatchObject({ count: 1, pending: [{ id: orderId }], paid: null });
});

test('what is paid for leaves the cart, and what was added since stays', async () => {
  const cart = newCart([line('beans', 1), line('mug', 2)]);
  const orderId = await order(cart);
  await harness.pay(orderId, 'succeeded');
  expect(await view(cart)).toMatchObject({ count: 0, lines: [], total: undefined, paid: { id: orderId } });
  const since = { ...cart, lines: [line('beans', 1), line('mug', 3), line('kettle', 1)] };
  const left = await view(since);
  expect(quantities(left)).toEqual({ mug: 1, kettle: 1 });
  expect(left.hasPaidOrder).toBe(true);

  // The rest is paid for from the same cart: each payment takes its own things, once.
  await harness.pay(await order(since), 'succeeded');
  expect(await view(since)).toMatchObject({ count: 0 });
});

test('what is no longer sold is named, counts for nothing, and stays until it is removed', async () => {
  const old = await harness.db.product.create({
    data: {
      tenantId: harness.tenantId,
      slug: 'teapot',
      name: 'Teapot',
      description: '',
      amountMinor: 4000,
      currency: 'eur',
      art: 'teapot',
    },
  });
  const cart = newCart([line('teapot', 1), line('mug', 1), line('never-was', 5)]);
  const orderId = await order(cart);
  await harness.db.product.update({ where: { id: old.id }, data: { withdrawnAt: new Date() } });

  const viewed = await view(cart);
  expect(viewed).toMatchObject({
    total: { amountMinor: 1800 },
    gone: [
      { slug: 'teapot', name: 'Teapot' },
      { slug: 'never-was', name: null },
    ],
  });
  expect(viewed.cart.lines.map(({ slug }) => slug)).toEqual(['mug', 'teapot', 'never-was']);

  const kept = await findOrder(harness.db, orderId);
  expect(kept?.lines).toMatchObject([{ name: 'Teapot', art: 'teapot' }, { name: 'mug' }]);
  await expect(harness.db.product.delete({ where: { id: old.id } })).rejects.toThrow(/foreign key/i);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelOrder } from './cancel-order.ts';
import { type Cart, newCart, setQuantity } from './cart.ts';
import { buyNow, cartKey, checkOut, maxOrdersOfCart, type Placed } from './place-order.ts';
import { openShopHarness, type ShopHarness } from './testing/harness.ts';
import { viewCart } from './view-cart.ts';

let harness: ShopHarness;
beforeAll(async () => {
  harness = await openShopHarness();
});
afterAll(() => harness.close());

const cartOf = (wanted: Record<string, number>) =>
  newCart(Object.entries(wanted).map(([slug, quantity]) => ({ slug, quantity })));
const checkout = (cart: Cart) => checkOut(harness.db, 'acme', cart);

function orderOf(placed: Placed): string {
  if (placed.kind !== 'placed') throw new Error(`Expected an order, got ${placed.kind}.`);
  return placed.orderId;
}

async function cancel(orderId: string) {
  return cancelOrder(harness.db, await harness.db.order.findUniqueOrThrow({ where: { id: orderId } }));
}

describe('a cart checked out', () => {
  test('twenty times at once is one order, with the lines once and the prices of the shop', async () => {
    const cart = cartOf({ beans: 2, mug: 1 });
    const placed = await Promise.all(Array.from({ length: 20 }, () => checkout(cart)));
    const ids = new Set(placed.map(orderOf));
    expect(ids.size).toBe(1);
    const order = await harness.db.order.findUniqueOrThrow({
      where: { id: [...ids][0] ?? '' },
      include: { lines: { orderBy: { name: 'asc' } } },
    });
    expect(order).toMatchObject({ amountMinor: 4700n, currency: 'eur', cartId: cart.id });
    expect(order.lines).toMatchObject([
      { name: 'beans', quantity: 2, unitAmountMinor: 1450n },
      { name: 'mug', quantity: 1, unitAmountMinor: 1800n },
    ]);
  });

  test('again with its lines in another order is the same order', async () => {
    const cart = cartOf({ beans: 1, mug: 1 });
    const first = orderOf(await checkout(cart));
    expect(orderOf(await checkout({ ...cart, lines: cart.lines.toReversed() }))).toBe(first);
  });

  test('after it changed is another order, and changed back it is the first one again', async () => {
    const cart = cartOf({ beans: 1 });
    const first = orderOf(await checkout(cart));
    const second = orderOf(await checkout(setQuantity(cart, 'beans', 2)));
    expect(second).not.toBe(first);
    expect(orderOf(await checkout(cart))).toBe(first);
  });

  test('at another price is another order', async () => {
    const cart = cartOf({ kettle: 1 });
    const first = orderOf(await checkout(cart));
    await harness.db.product.updateMany({ where: { slug: 'kettle' }, data: { amountMinor: 7000 } });
    const second = orderOf(await checkout(cart));
    await harness.db.product.updateMany({ where: { slug: 'kettle' }, data: { amountMinor: 6900 } });
    expect(second).not.toBe(first);
  });

  test('from another cart with the same contents is another order', async () => {
    expect(orderOf(await checkout(cartOf({ mug: 1 })))).not.toBe(orderOf(await checkout(cartOf({ mug: 1 }))));
  });

  test('while its payment is under way, or after a decline, is the same order', async () => {
    const cart = cartOf({ mug: 2 });
    const first = orderOf(await checkout(cart));
    await harness.pay(first, 'declined');
    expect(orderOf(await checkout(cart))).toBe(first);
    await harness.pay(first, 'pending');
    expect(orderOf(await checkout(cart))).toBe(first);
  });

  test('after it was paid leads to the receipt, and makes nothing', async () => {
    const cart = cartOf({ mug: 3 });
    const orderId = orderOf(await checkout(cart));
    await harness.pay(orderId, 'succeeded');
    expect(await checkout(cart)).toEqual({ kind: 'paid', orderId });
    expect(await harness.db.order.count({ where: { cartId: cart.id } })).toBe(1);
  });

  test('after it was cancelled, in two tabs at once, is one new order', async () => {
    const cart = cartOf({ mug: 4 });
    const first = orderOf(await checkout(cart));
    await cancel(first);
    const placed = await Promise.all([checkout(cart), checkout(cart), checkout(cart)]);
    expect(new Set(placed.map(orderOf)).size).toBe(1);
    expect(placed.map(orderOf)).not.toContain(first);
  });

  test('with nothing that is sold here makes no order', async () => {
    expect(await checkout(newCart())).toEqual({ kind: 'empty' });
    expect(await checkout(cartOf({ tea: 3 }))).toEqual({ kind: 'empty' });
    expect(await checkOut(harness.db, 'nowhere', cartOf({ mug: 1 }))).toEqual({ kind: 'empty' });
  });

  test('of more than the provider takes in one payment makes no order', async () => {
    const product = { tenantId: harness.tenantId, name: 'Yacht', description: '', currency: 'eur', art: 'x' };
    await harness.db.product.create({ data: { ...product, slug: 'yacht', amountMinor: 60_000_000 } });
    expect(await checkout(cartOf({ yacht: 2 }))).toEqual({ kind: 'too_much' });
  });
});

describe('Buy now', () => {
  test('pressed several times is one order', async () => {
    const press = cartOf({ beans: 1 });
    const placed = await Promise.all([1, 2, 3].map(() => buyNow(harness.db, 'acme', press)));
    expect(new Set(placed.map(orderOf)).size).toBe(1);
  });

  test('pressed again when that order is paid buys once more', async () => {
    const press = cartOf({ beans: 1 });
    const first = orderOf(await buyNow(harness.db, 'acme', press));
    await harness.pay(first, 'succeeded');
    expect(orderOf(await buyNow(harness.db, 'acme', press))).not.toBe(first);
  });
});

describe('the database', () => {
  test('refuses a second order under a key, also by a direct insert', async () => {
    const { cartId, cartKey, tenantId } = await harness.db.order.findFirstOrThrow({
      where: { cartKey: { not: null } },
    });
    const copy = { tenantId, cartId, cartKey, number: 'ACME-COPY', amountMinor: 1, currency: 'eur' };
    await expect(harness.db.order.create({ data: copy })).rejects.toThrow(/Unique constraint/);
    const other = await harness.db.organization.create({
      data: { id: 'other', name: 'Other', slug: 'other' },
    });
    await harness.db.order.create({ data: { ...copy, tenantId: other.id } });
  });

  test('refuses to change what was ordered, and to take back a cancellation', async () => {
    const id = orderOf(await checkout(cartOf({ mug: 1 })));
    const change = (data: object) => harness.db.order.update({ where: { id }, data });
    await expect(change({ amountMinor: 1 })).rejects.toThrow(/never changes/);
    await expect(change({ cartKey: 'other' })).rejects.toThrow(/never changes/);
    await cancel(id);
    await expect(change({ cancelledAt: null })).rejects.toThrow(/stays cancelled/);
  });

  test.each([['cart'], ['Mug'], ['a/b'], ['']])('refuses a product at the address %j', async (slug) => {
    const product = { tenantId: harness.tenantId, name: 'x', description: '', currency: 'eur', art: 'x' };
    await expect(harness.db.product.create({ data: { ...product, slug, amountMinor: 1 } })).rejects.toThrow(
      /product_slug/,
    );
  });
});

describe('a cart that was ordered and cancelled many times', () => {
  /** As many orders as a cart may have, all cancelled, without the requests that made them. */
  async function usedUp(): Promise<Cart> {
    const cart = cartOf({ mug: 1 });
    const { tenantId, lines } = (await viewCart(harness.db, 'acme', cart).then(
      (view) => view && { tenantId: view.tenantId, lines: view.priced },
    )) ?? { tenantId: '', lines: [] };
    await harness.db.order.createMany({
      data: Array.from({ length: maxOrdersOfCart }, (_, round) => ({
        tenantId,
        number: `ACME-${cart.id.slice(0, 8)}-${round}`,
        amountMinor: 1800,
        currency: 'eur',
        cartId: cart.id,
        cartKey: cartKey({ cartId: cart.id, lines }, round),
        cancelledAt: new Date(),
      })),
    });
    return cart;
  }

  test('takes no more orders', async () => {
    const cart = await usedUp();
    expect(await checkout(cart)).toEqual({ kind: 'used_up' });
    expect(await buyNow(harness.db, 'acme', cart)).toEqual({ kind: 'used_up' });
    expect(await checkout(setQuantity(cart, 'mug', 2)), 'with other contents').toEqual({ kind: 'used_up' });
    expect(await harness.db.order.count({ where: { cartId: cart.id } })).toBe(maxOrdersOfCart);
  });

  test('costs no more statements than any other', async () => {
    const statements = async (cart: Cart) => {
      let count = 0;
      const db = harness.db.$extends({
        query: {
          $allOperations({ args, query }) {
            count += 1;
            return query(args);
          },
        },
      });
      await buyNow(db as unknown as typeof harness.db, 'acme', cart);
      return count;
    };
    const [first, last] = [await statements(cartOf({ mug: 1 })), await statements(await usedUp())];
    expect(last).toBeLessThanOrEqual(first);
  });
});

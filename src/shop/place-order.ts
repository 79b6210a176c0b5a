import { createHash, randomInt } from 'node:crypto';
import { isPaidFor } from '#payments/index.ts';
import { maxAmountMinor } from '#payments/money.ts';
import type { Prisma, PrismaClient } from '#prisma';
import type { Cart } from './cart.ts';
import { isOwnPayment, numberAlphabet, numberLength, ownPayments } from './own-payments.ts';
import { type PricedLine, priceLines, totalOf } from './priced-lines.ts';
import { viewCart } from './view-cart.ts';

/**
 * From a cart to an order, once. The order carries the name of the cart's contents (`cart_key`, unique for the tenant), so
 * the same cart checked out twice, in two tabs or after going back is the same order, and a changed cart is another one.
 *
 * An order that is over (cancelled, or paid) keeps its key for good. The same contents wanted again are the next round of
 * the cart, which has a key of its own; every tab counts the same rounds, so two tabs end up with one order here too.
 */
export type Placed =
  | { readonly kind: 'placed'; readonly orderId: string }
  /** All of it was paid for already; this is the receipt. */
  | { readonly kind: 'paid'; readonly orderId: string }
  | { readonly kind: 'empty' }
  /** The cart has been ordered too often; a cart with another id can be. */
  | { readonly kind: 'used_up' }
  /** More than the provider takes in one payment. */
  | { readonly kind: 'too_much' };

export async function checkOut(db: PrismaClient, slug: string, cart: Cart): Promise<Placed> {
  const view = await viewCart(db, slug, cart);
  if (!view || view.lines.length === 0) {
    return view?.paid ? { kind: 'paid', orderId: view.paid.id } : { kind: 'empty' };
  }
  return placeOrder(db, { slug, tenantId: view.tenantId, cartId: cart.id, lines: view.priced, again: false });
}

/** One product, without the cart. Each time the button is shown it has a cart of its own, so a double click is one order. */
export async function buyNow(db: PrismaClient, slug: string, cart: Cart): Promise<Placed> {
  const priced = await priceLines(db, slug, cart.lines);
  if (!priced || priced.lines.length === 0) return { kind: 'empty' };
  const { tenantId, lines } = priced;
  return placeOrder(db, { slug, tenantId, cartId: cart.id, lines, again: true });
}

interface NewOrder {
  readonly slug: string;
  readonly tenantId: string;
  readonly cartId: string;
  readonly lines: readonly PricedLine[];
  /** Whether contents that were paid are wanted once more, rather than shown to be paid. */
  readonly again: boolean;
}

/**
 * No shopper orders from one cart this often. All orders of a cart are read with it, so without a bound a stranger could make
 * one request as expensive as they like.
 */
export const maxOrdersOfCart = 100;

async function placeOrder(db: PrismaClient, order: NewOrder): Promise<Placed> {
  const total = totalOf(order.lines);
  if (!total) return { kind: 'empty' };
  if (total.amountMinor > maxAmountMinor) return { kind: 'too_much' };
  const known = await readOrdersOfCart(db, order);
  for (let round = 0; round < maxOrdersOfCart; round += 1) {
    const key = cartKey(order, round);
    const found = known.get(key);
    if (!found && known.size >= maxOrdersOfCart) break;
    const { id, over } = found ?? (await createOrFind(db, order, total, key));
    if (over === undefined) return { kind: 'placed', orderId: id };
    if (over === 'paid' && !order.again) return { kind: 'paid', orderId: id };
  }
  return { kind: 'used_up' };
}

interface KnownOrder {
  readonly id: string;
  readonly over: 'paid' | 'cancelled' | undefined;
}

/** By the key of their contents, so that the rounds of a cart are counted without a statement for each. */
async function readOrdersOfCart(
  db: PrismaClient,
  { tenantId, cartId }: NewOrder,
): Promise<ReadonlyMap<string, KnownOrder>> {
  const orders = await db.order.findMany({
    where: { tenantId, cartId },
    select: { id: true, number: true, amountMinor: true, currency: true, cancelledAt: true, cartKey: true },
  });
  if (orders.length === 0) return new Map();
  const numbers = orders.map(({ number }) => number);
  const payments = await db.payment.findMany({
    where: { tenantId, reference: { in: numbers }, ...isPaidFor },
    select: { reference: true, amountMinor: true, currency: true },
  });
  return new Map(
    orders.map((order) => {
      const isPaid = payments.some((payment) => isOwnPayment(order, payment));
      return [order.cartKey ?? order.id, { id: order.id, over: overOf(isPaid, order.cancelledAt) }];
    }),
  );
}

function overOf(paid: boolean, cancelledAt: Date | null): KnownOrder['over'] {
  if (paid) return 'paid';
  return cancelledAt ? 'cancelled' : undefined;
}

/** Everything the order will say is in it, prices too: at another price it is another order. */
export function cartKey(order: Pick<NewOrder, 'cartId' | 'lines'>, round: number): string {
  const contents = order.lines
    .map(({ product, quantity }) => [product.id, quantity, String(product.amountMinor), product.currency])
    .sort();
  return createHash('sha256')
    .update(JSON.stringify([order.cartId, round, contents]))
    .digest('base64url');
}

function createOrFind(
  db: PrismaClient,
  order: NewOrder,
  total: { amountMinor: bigint; currency: string },
  key: string,
): Promise<KnownOrder> {
  return db.$transaction(async (tx) => {
    const [made] = await tx.order.createManyAndReturn({
      data: [
        {
          tenantId: order.tenantId,
          number: orderNumber(order.slug),
          ...total,
          cartId: order.cartId,
          cartKey: key,
        },
      ],
      skipDuplicates: true,
      select: { id: true },
    });
    if (!made) return findByKey(tx, order.tenantId, key);
    await tx.orderLine.createMany({
      data: order.lines.map(({ product, quantity }) => ({
        orderId: made.id,
        productId: product.id,
        name: product.name,
        quantity,
        unitAmountMinor: product.amountMinor,
      })),
    });
    return { id: made.id, over: undefined };
  });
}

/** The insert has waited for the commit of the concurrent request, so its order is visible. */
async function findByKey(
  tx: Prisma.TransactionClient,
  tenantId: string,
  cartKey: string,
): Promise<KnownOrder> {
  const order = await tx.order.findUniqueOrThrow({ where: { tenantId_cartKey: { tenantId, cartKey } } });
  const paid = await tx.payment.count({ where: { ...ownPayments(order), ...isPaidFor } });
  return { id: order.id, over: overOf(paid > 0, order.cancelledAt) };
}

function orderNumber(slug: string): string {
  const characters = Array.from({ length: numberLength }, () => randomInt(numberAlphabet.length));
  const code = characters.map((index) => numberAlphabet[index]).join('');
  return `${slug.toUpperCase()}-${code}`;
}

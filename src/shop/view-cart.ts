import { holdsByCharge, type ShownStatus, shownStatusOf, withFoundCharges } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import type { Prisma } from '#prisma';
import type { Cart, CartLine } from './cart.ts';
import { isOwnPayment } from './own-payments.ts';
import { priceLines, totalOf } from './priced-lines.ts';

type Db = Prisma.TransactionClient;

/**
 * The cart as the shop sees it. What has been paid for leaves the cart, also by a charge that was found and that the shop keeps,
 * and nothing else does: not what is merely ordered, and not what was added since. Whether something is paid is read from the
 * orders, not from the cookie: it may have been paid on another device.
 */
export async function viewCart(db: Db, shopSlug: string, cart: Cart) {
  const priced = await priceLines(db, shopSlug, cart.lines);
  if (!priced) return undefined;
  const { paid, pending, checked, bought } = await ordersOf(db, priced.tenantId, cart);
  const lines = priced.lines
    .map((line) => ({ ...line, quantity: line.quantity - (bought.get(line.product.id) ?? 0) }))
    .filter(({ quantity }) => quantity > 0);
  const total = totalOf(lines);
  const wanted: CartLine[] = lines.map(({ product, quantity }) => ({ slug: product.slug, quantity }));
  return {
    tenantId: priced.tenantId,
    /** What is left, under the old name. Once something was paid, a change of the cart takes a new one. */
    cart: {
      id: cart.id,
      lines: [...wanted, ...priced.gone.map(({ slug, quantity }) => ({ slug, quantity }))],
    },
    hasPaidOrder: paid.length > 0,
    priced: lines,
    lines: lines.map(({ product, quantity }) => ({
      slug: product.slug,
      name: product.name,
      art: product.art,
      quantity,
      price: money(product.amountMinor, product.currency),
    })),
    gone: priced.gone.map(({ slug, name }) => ({ slug, name: name ?? null })),
    total: total && money(total.amountMinor, total.currency),
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    paid: paid.at(-1) ?? null,
    pending,
    underReview: checked,
  };
}

/** The orders made from this cart, by what became of them. An order without a payment blocks nothing. */
async function ordersOf(db: Db, tenantId: string, cart: Cart) {
  const orders = await db.order.findMany({
    where: { tenantId, cartId: cart.id },
    orderBy: { createdAt: 'asc' },
    select: {
      ...{ id: true, number: true, amountMinor: true, currency: true },
      lines: { select: { productId: true, quantity: true } },
    },
  });
  const payments = await db.payment.findMany({
    where: {
      tenantId,
      reference: { in: orders.map(({ number }) => number) },
      OR: [{ status: { in: ['pending', 'succeeded'] } }, holdsByCharge],
    },
    select: { reference: true, amountMinor: true, currency: true, status: true, ...withFoundCharges },
  });
  const having = (...statuses: ShownStatus[]) =>
    orders.filter((order) =>
      payments.some((payment) => statuses.includes(shownStatusOf(payment)) && isOwnPayment(order, payment)),
    );
  const paid = having('succeeded', 'kept');
  const bought = new Map<string, number>();
  for (const { productId, quantity } of paid.flatMap(({ lines }) => lines)) {
    bought.set(productId, (bought.get(productId) ?? 0) + quantity);
  }
  const named = ({ id, number }: { id: string; number: string }) => ({ id, number });
  return {
    bought,
    paid: paid.map(named),
    pending: having('pending').map(named),
    checked: having('under_review').map(named),
  };
}

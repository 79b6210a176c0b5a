import { randomInt } from 'node:crypto';
import { type Currency, isCurrency, type Money } from '#payments/money.ts';
import type { Prisma, PrismaClient } from '#prisma';

type Db = Prisma.TransactionClient;

export async function listShops(db: Db) {
  const tenants = await db.organization.findMany({
    where: { products: { some: {} } },
    orderBy: { name: 'asc' },
    select: {
      slug: true,
      name: true,
      products: { orderBy: { position: 'asc' }, take: 3, select: { art: true } },
    },
  });
  return tenants.map(({ slug, name, products }) => ({
    slug,
    name,
    art: products.map((product) => product.art),
  }));
}

export async function findShop(db: Db, slug: string) {
  const tenant = await db.organization.findUnique({
    where: { slug },
    select: { slug: true, name: true, products: { orderBy: { position: 'asc' } } },
  });
  if (!tenant) return undefined;
  return {
    slug: tenant.slug,
    name: tenant.name,
    products: tenant.products.map(({ id, slug, name, description, art, amountMinor, currency }) => ({
      id,
      slug,
      name,
      description,
      art,
      price: money(amountMinor, currency),
    })),
  };
}

export interface NewOrder {
  readonly slug: string;
  readonly lines: readonly { readonly productId: string; readonly quantity: number }[];
}

/** Prices come from the shop, never from the browser. */
export async function createOrder(
  db: PrismaClient,
  order: NewOrder,
): Promise<{ orderId: string } | undefined> {
  const quantities = new Map<string, number>();
  for (const { productId, quantity } of order.lines) {
    quantities.set(productId, (quantities.get(productId) ?? 0) + quantity);
  }
  const products = await db.product.findMany({
    where: { id: { in: [...quantities.keys()] }, tenant: { slug: order.slug } },
  });
  const first = products[0];
  if (!first || products.length !== quantities.size) return undefined;

  const lines = products.map((product) => ({
    productId: product.id,
    name: product.name,
    quantity: quantities.get(product.id) ?? 0,
    unitAmountMinor: product.amountMinor,
  }));
  const total = lines.reduce((sum, line) => sum + line.unitAmountMinor * BigInt(line.quantity), 0n);
  const created = await db.order.create({
    data: {
      tenantId: first.tenantId,
      number: orderNumber(order.slug),
      amountMinor: total,
      currency: first.currency,
      lines: { create: lines },
    },
    select: { id: true },
  });
  return { orderId: created.id };
}

/** Letters and digits that nobody mistakes for each other on the phone. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';

function orderNumber(slug: string): string {
  const code = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('');
  return `${slug.toUpperCase()}-${code}`;
}

export type OrderView = NonNullable<Awaited<ReturnType<typeof findOrder>>>;

export async function findOrder(db: Db, orderId: string) {
  const order = await db.order.findUnique({
    where: { id: orderId },
    include: { lines: { orderBy: { name: 'asc' } }, tenant: { select: { slug: true, name: true } } },
  });
  if (!order) return undefined;
  const payments = await db.payment.findMany({
    where: { tenantId: order.tenantId, reference: order.number },
    orderBy: { createdAt: 'asc' },
    include: { receipt: { select: { number: true } } },
  });
  return {
    id: order.id,
    number: order.number,
    shop: order.tenant,
    total: money(order.amountMinor, order.currency),
    createdAt: order.createdAt.toISOString(),
    lines: order.lines.map((line) => ({
      productId: line.productId,
      name: line.name,
      quantity: line.quantity,
      amount: money(line.unitAmountMinor * BigInt(line.quantity), order.currency),
    })),
    attempts: payments.map((payment) => ({
      paymentId: payment.id,
      operationId: payment.operationId,
      status: payment.status as 'pending' | 'succeeded' | 'declined' | 'released',
      declineCode: payment.declineCode,
      chargeId: payment.providerChargeId,
      receiptNumber: payment.receipt?.number ?? null,
      createdAt: payment.createdAt.toISOString(),
      settledAt: payment.settledAt?.toISOString() ?? null,
    })),
  };
}

export function money(amountMinor: bigint, currency: string): Money {
  return { amountMinor: Number(amountMinor), currency: knownCurrency(currency) };
}

function knownCurrency(code: string): Currency {
  if (!isCurrency(code)) throw new Error(`The database holds the unknown currency "${code}".`);
  return code;
}

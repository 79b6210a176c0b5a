import type { Prisma } from '#prisma';
import { type CartLine, maxQuantity } from './cart.ts';

export interface PricedLine {
  readonly product: Pick<Prisma.ProductModel, 'id' | 'slug' | 'name' | 'art' | 'amountMinor' | 'currency'>;
  readonly quantity: number;
}

export interface PricedLines {
  readonly tenantId: string;
  readonly lines: readonly PricedLine[];
  /** Wanted, and not sold here (any more). Its name is known when it once was. */
  readonly gone: readonly (CartLine & { readonly name: string | undefined })[];
}

/** Prices come from the shop, never from the browser. Undefined: there is no such shop. */
export async function priceLines(
  db: Prisma.TransactionClient,
  shopSlug: string,
  wanted: readonly CartLine[],
): Promise<PricedLines | undefined> {
  const tenant = await db.organization.findUnique({
    where: { slug: shopSlug },
    select: { id: true, products: { where: { slug: { in: wanted.map(({ slug }) => slug) } } } },
  });
  if (!tenant) return undefined;
  const products = new Map(tenant.products.map((product) => [product.slug, product]));
  const priced = wanted.map((line) => ({ line, product: products.get(line.slug) }));
  return {
    tenantId: tenant.id,
    lines: priced.flatMap(({ line: { quantity }, product }) =>
      product && !product.withdrawnAt ? [{ product, quantity: Math.min(quantity, maxQuantity) }] : [],
    ),
    gone: priced.flatMap(({ line, product }) =>
      product && !product.withdrawnAt ? [] : [{ ...line, name: product?.name }],
    ),
  };
}

/** A shop sells in one currency; a sum over two would be a number that means nothing. */
export function totalOf(lines: readonly PricedLine[]): { amountMinor: bigint; currency: string } | undefined {
  const currency = lines[0]?.product.currency;
  if (currency === undefined) return undefined;
  if (lines.some(({ product }) => product.currency !== currency)) {
    throw new Error('A cart holds products in two currencies.');
  }
  const amountMinor = lines.reduce(
    (sum, { product, quantity }) => sum + product.amountMinor * BigInt(quantity),
    0n,
  );
  return { amountMinor, currency };
}

import { z } from 'zod';
import { money } from '#payments/money.ts';
import type { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

/** What is on the shelf. A withdrawn product stays in the table, because orders point at it. */
const sold = { withdrawnAt: null } satisfies Prisma.ProductWhereInput;

export async function listShops(db: Db) {
  const tenants = await db.organization.findMany({
    where: { products: { some: sold } },
    orderBy: { name: 'asc' },
    select: {
      slug: true,
      name: true,
      products: { where: sold, orderBy: { position: 'asc' }, take: 3, select: { art: true } },
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
    select: { slug: true, name: true, products: { where: sold, orderBy: { position: 'asc' } } },
  });
  if (!tenant) return undefined;
  return { slug: tenant.slug, name: tenant.name, products: tenant.products.map(onShelf) };
}

const details = z.array(z.object({ name: z.string(), value: z.string() }));

/** How many others a product's page shows: one row of the shelf. */
const neighbours = 4;

export async function findProduct(db: Db, shopSlug: string, slug: string) {
  const shop = await db.organization.findUnique({
    where: { slug: shopSlug },
    select: { slug: true, name: true, products: { where: sold, orderBy: { position: 'asc' } } },
  });
  const at = shop?.products.findIndex((product) => product.slug === slug) ?? -1;
  const product = shop?.products[at];
  if (!shop || !product) return undefined;
  // Those that follow on the shelf, and from its beginning again, so that every product leads to others.
  const others = [...shop.products.slice(at + 1), ...shop.products.slice(0, at)].slice(0, neighbours);
  return {
    shop: { slug: shop.slug, name: shop.name },
    product: { ...onShelf(product), story: product.story, details: details.parse(product.details) },
    others: others.map(onShelf),
  };
}

function onShelf({ id, slug, name, description, art, amountMinor, currency }: Prisma.ProductModel) {
  return { id, slug, name, description, art, price: money(amountMinor, currency) };
}

import { randomBytes, randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import type { Prisma } from '#prisma';
import { hashApiKey, mintApiKey } from '#server/api-keys.ts';
import { openDatabase } from '#server/db.ts';

export interface DemoTenant {
  slug: string;
  operator: { email: string; password: string };
  apiKey: string;
}

const demo = [
  {
    slug: 'acme',
    name: 'Acme Coffee',
    currency: 'eur',
    products: [
      [
        'yirgacheffe',
        'Yirgacheffe, 250 g',
        'Washed, light roast. Bergamot, apricot, a clean finish.',
        1450,
        'beans',
      ],
      [
        'espresso',
        'House Espresso, 1 kg',
        'Chocolate and hazelnut; made for milk and for mornings.',
        2990,
        'bag',
      ],
      [
        'dripper',
        'Porcelain Dripper',
        'Two cups at a time, and it looks good drying on the rack.',
        2400,
        'dripper',
      ],
      ['kettle', 'Gooseneck Kettle', 'Pours where you point it. 0.9 litres, for any hob.', 6900, 'kettle'],
      ['grinder', 'Hand Grinder', 'Steel burrs, forty clicks, no cable.', 8900, 'grinder'],
      ['mug', 'Workshop Mug', 'Stoneware, 300 ml, glazed by hand; no two alike.', 1800, 'mug'],
    ],
  },
  {
    slug: 'globex',
    name: 'Globex Stationery',
    currency: 'usd',
    products: [
      ['notebook', 'Dot Grid Notebook', '192 pages of 100 g paper that lies flat.', 1900, 'notebook'],
      ['pen', 'Brass Rollerball', 'Heavier than it looks. Takes any standard refill.', 4800, 'pen'],
      ['pencils', 'Drawing Pencils, 12', 'From 4H to 6B in a tin that closes properly.', 2200, 'pencils'],
      ['lamp', 'Desk Lamp', 'Warm light where the work is, none in your eyes.', 11900, 'lamp'],
      ['clips', 'Paper Clips, 200', 'The good ones. They do not let go.', 600, 'clips'],
      ['planner', 'Week Planner', 'One week a spread, undated, so no guilt.', 2600, 'planner'],
    ],
  },
] as const;

/**
 * Two shops to try everything with. Safe to run again: what exists is kept, and credentials that still work are
 * returned as they were. Lost ones are replaced, because only their hashes are in the database.
 *
 * Without `logins` there are shelves and prices and nothing else: in a database of one's own, an account or an API key
 * that nobody asked for by name is a way in.
 */
export async function seedDemo(options: {
  databaseUrl: string;
  authSecret: string;
  known: DemoTenant[] | undefined;
  logins: boolean;
}): Promise<DemoTenant[]> {
  const db = openDatabase(options.databaseUrl);
  try {
    return await db.$transaction(async (tx) => {
      const tenants: DemoTenant[] = [];
      for (const shop of demo) {
        const tenantId = await seedShop(tx, shop);
        if (!options.logins) continue;
        const known = options.known?.find(({ slug }) => slug === shop.slug);
        tenants.push(
          known && (await stillWorks(tx, known)) ? known : await seedCredentials(tx, shop.slug, tenantId),
        );
      }
      return tenants;
    });
  } finally {
    await db.$disconnect();
  }
}

async function seedShop(tx: Prisma.TransactionClient, shop: (typeof demo)[number]): Promise<string> {
  const { slug, name, currency } = shop;
  const tenant = await tx.organization.upsert({
    where: { slug },
    update: {},
    create: { id: randomUUID(), slug, name },
  });
  await tx.product.createMany({
    data: shop.products.map(([slug, name, description, amountMinor, art], position) => ({
      tenantId: tenant.id,
      slug,
      name,
      description,
      amountMinor,
      currency,
      art,
      position,
    })),
    skipDuplicates: true,
  });
  return tenant.id;
}

const operatorEmail = (slug: string) => `operator@${slug}.example`;
const apiKeyName = 'Demo key';

/** The password's hash is slow to check on every start; the account being there, and the API key, is proof enough. */
async function stillWorks(tx: Prisma.TransactionClient, known: DemoTenant): Promise<boolean> {
  const user = await tx.user.findUnique({ where: { email: known.operator.email }, select: { id: true } });
  const key = await tx.apiKey.findUnique({ where: { hash: hashApiKey(known.apiKey), revokedAt: null } });
  return user !== null && key !== null;
}

async function seedCredentials(
  tx: Prisma.TransactionClient,
  slug: string,
  tenantId: string,
): Promise<DemoTenant> {
  const email = operatorEmail(slug);
  const password = randomBytes(12).toString('base64url');
  const user = await tx.user.upsert({
    where: { email },
    update: {},
    create: { id: randomUUID(), email, name: `${slug} operator`, emailVerified: true },
  });
  await tx.account.deleteMany({ where: { userId: user.id, providerId: 'credential' } });
  await tx.account.create({
    data: {
      id: randomUUID(),
      userId: user.id,
      accountId: user.id,
      providerId: 'credential',
      password: await hashPassword(password),
    },
  });
  await tx.member.upsert({
    where: { organizationId_userId: { organizationId: tenantId, userId: user.id } },
    update: {},
    create: { id: randomUUID(), organizationId: tenantId, userId: user.id, role: 'operator' },
  });
  const { token, prefix, hash } = mintApiKey();
  await tx.apiKey.deleteMany({ where: { tenantId, name: apiKeyName } });
  await tx.apiKey.create({ data: { tenantId, name: apiKeyName, prefix, hash } });
  return { slug, operator: { email, password }, apiKey: token };
}

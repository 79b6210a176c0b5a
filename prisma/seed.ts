import { randomBytes, randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import type { Prisma } from '#prisma';
import { hashApiKey, mintApiKey } from '#server/api-keys.ts';
import { openDatabase } from '#server/db.ts';
import { type DemoShop, demoShops } from './demo-shops.ts';

export interface DemoTenant {
  slug: string;
  operator: { email: string; password: string };
  apiKey: string;
}

/**
 * Two shops to try everything with. Safe to run again: what exists is kept, and credentials that still work are
 * returned as they were. Lost ones are replaced, because only their hashes are in the database.
 */
export async function seedDemo(options: {
  databaseUrl: string;
  authSecret: string;
  known: DemoTenant[] | undefined;
}): Promise<DemoTenant[]> {
  const db = openDatabase(options.databaseUrl);
  try {
    return await db.$transaction(async (tx) => {
      const tenants: DemoTenant[] = [];
      for (const shop of demoShops) {
        const tenantId = await seedShop(tx, shop);
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

async function seedShop(tx: Prisma.TransactionClient, shop: DemoShop): Promise<string> {
  const { slug, name, currency } = shop;
  const tenant = await tx.organization.upsert({
    where: { slug },
    update: {},
    create: { id: randomUUID(), slug, name },
  });
  const tenantId = tenant.id;
  for (const [position, { details, ...product }] of shop.products.entries()) {
    const pages = { story: product.story, details: [...details] };
    await tx.product.createMany({
      data: [{ tenantId, currency, position, ...product, ...pages }],
      skipDuplicates: true,
    });
    // Data from before products had pages: what somebody has written since is theirs.
    await tx.product.updateMany({ where: { tenantId, slug: product.slug, story: '' }, data: pages });
  }
  return tenantId;
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

import { randomBytes, randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { type Role, roles } from '#console/members/membership.ts';
import { hashApiKey, mintApiKey } from '#console/settings/api-key-token.ts';
import type { Prisma } from '#prisma';
import { openDatabase } from '#server/database.ts';
import { type DemoShop, demoShops } from './demo-shops.ts';

export interface DemoPerson {
  role: Role;
  email: string;
  password: string;
}

export interface DemoTenant {
  slug: string;
  operator: { email: string; password: string };
  /** One for each role, and an owner of both shops. */
  people: DemoPerson[];
  apiKey: string;
}

/**
 * Two shops to try everything with. Safe to run again: what exists is kept, and credentials that still work are
 * returned as they were. Lost ones are replaced, because only their hashes are in the database.
 *
 * Without `logins` there are only shops and products: in a database that is not the demo's, an account or an API key that
 * was not requested is a security hole.
 */
export async function seedDemo(options: {
  databaseUrl: string;
  authSecret: string;
  known: DemoTenant[] | undefined;
  logins: boolean;
}): Promise<DemoTenant[]> {
  const db = openDatabase(options.databaseUrl);
  try {
    const shops = await db.$transaction(async (tx) => {
      const seeded: Shop[] = [];
      for (const shop of demoShops) seeded.push({ slug: shop.slug, tenantId: await seedShop(tx, shop) });
      return seeded;
    });
    if (!options.logins) return [];
    const known = options.known ?? [];
    if (known.length === shops.length && (await allStillWork(db, known))) return known;
    // Hashing passwords is slow, so it is done before the transaction.
    const ownerOfBoth = await mintLogin('owner', ownerOfBothEmail, 'Robin of both shops');
    const staff = await Promise.all(
      shops.map(({ slug }) =>
        Promise.all(roles.map((role) => mintLogin(role, `${role}@${slug}.example`, names[role]))),
      ),
    );
    return await db.$transaction(async (tx) => {
      const tenants: DemoTenant[] = [];
      for (const [index, shop] of shops.entries()) {
        tenants.push(await seedCredentials(tx, shop, [...(staff[index] ?? []), ownerOfBoth]));
      }
      return tenants;
    });
  } finally {
    await db.$disconnect();
  }
}

interface Shop {
  readonly slug: string;
  readonly tenantId: string;
}

async function seedShop(tx: Prisma.TransactionClient, shop: DemoShop): Promise<string> {
  const { slug, name, currency, contactEmail } = shop;
  const tenant = await tx.organization.upsert({
    where: { slug },
    update: {},
    create: { id: randomUUID(), slug, name, contactEmail },
  });
  const tenantId = tenant.id;
  for (const [position, product] of shop.products.entries()) {
    const data = { tenantId, currency, position, ...product, details: [...product.details] };
    await tx.product.createMany({ data: [data], skipDuplicates: true });
  }
  return tenantId;
}

const ownerOfBothEmail = 'owner@both.example';
const apiKeyName = 'Demo key';
const names: Record<Role, string> = {
  viewer: 'Vera Viewer',
  operator: 'Omar Operator',
  approver: 'Ada Approver',
  owner: 'Olga Owner',
};

async function allStillWork(tx: Prisma.TransactionClient, known: DemoTenant[]): Promise<boolean> {
  for (const tenant of known) if (!(await stillWorks(tx, tenant))) return false;
  return true;
}

/** Whether the accounts and the API key still exist. Passwords are not verified, because that is slow on every start. */
async function stillWorks(tx: Prisma.TransactionClient, known: DemoTenant): Promise<boolean> {
  const emails = (known.people ?? []).map(({ email }) => email);
  if (emails.length !== roles.length + 1) return false;
  const accounts = await tx.user.count({ where: { email: { in: emails } } });
  const key = await tx.apiKey.findUnique({ where: { hash: hashApiKey(known.apiKey), revokedAt: null } });
  return accounts === emails.length && key !== null;
}

interface Login extends DemoPerson {
  readonly name: string;
  readonly hash: string;
}

async function mintLogin(role: Role, email: string, name: string): Promise<Login> {
  const password = randomBytes(12).toString('base64url');
  return { role, email, name, password, hash: await hashPassword(password) };
}

async function seedCredentials(
  tx: Prisma.TransactionClient,
  { slug, tenantId }: Shop,
  logins: readonly Login[],
): Promise<DemoTenant> {
  for (const login of logins) await seedMember(tx, tenantId, await seedPerson(tx, login), login.role);
  const people = logins.map(({ role, email, password }) => ({ role, email, password }));
  const operator = people.find(({ role }) => role === 'operator');
  if (!operator) throw new Error('The demo needs an operator.');
  const { token, prefix, hash } = mintApiKey();
  await tx.apiKey.deleteMany({ where: { tenantId, name: apiKeyName } });
  await tx.apiKey.create({ data: { tenantId, name: apiKeyName, prefix, hash } });
  const { email, password } = operator;
  return { slug, operator: { email, password }, people, apiKey: token };
}

async function seedPerson(tx: Prisma.TransactionClient, login: Login): Promise<string> {
  const { email, name, hash } = login;
  const { id: userId } = await tx.user.upsert({
    where: { email },
    update: {},
    create: { id: randomUUID(), email, name, emailVerified: true },
  });
  await tx.account.deleteMany({ where: { userId, providerId: 'credential' } });
  await tx.account.create({
    data: { id: randomUUID(), userId, accountId: userId, providerId: 'credential', password: hash },
  });
  return userId;
}

async function seedMember(
  tx: Prisma.TransactionClient,
  organizationId: string,
  userId: string,
  role: Role,
): Promise<void> {
  await tx.member.upsert({
    where: { organizationId_userId: { organizationId, userId } },
    update: {},
    create: { id: randomUUID(), organizationId, userId, role },
  });
}

import type { Prisma } from '#prisma';

/** In ascending order: each role may do what those before it may. A CHECK constraint has the same list. */
export const roles = ['viewer', 'operator', 'approver', 'owner'] as const;
export type Role = (typeof roles)[number];

export function isAtLeast(role: Role, minimum: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(minimum);
}

/** The person has lost the role since the request began. What they were doing is rolled back. */
export class RoleLost extends Error {
  override name = 'RoleLost';
  readonly needed: Role;
  constructor(needed: Role) {
    super(`The person no longer has the role of ${needed}.`);
    this.needed = needed;
  }
}

/**
 * Requires the role now, and keeps it from being taken away until the transaction ends: a request may have waited, for a lock or for
 * the provider, since its role was read. A change and the loss of the role at the same moment take turns.
 */
export async function holdRole(
  tx: Prisma.TransactionClient,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
  role: Role,
): Promise<void> {
  const sufficient = roles.filter((one) => isAtLeast(one, role));
  const held = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM member
    WHERE organization_id = ${tenantId} AND user_id = ${userId} AND role = ANY(${sufficient}) FOR SHARE`;
  if (held.length === 0) throw new RoleLost(role);
}

export interface Membership {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly tenantSlug: string;
  readonly role: Role;
  readonly needsSecondFactor: boolean;
  /** Of a member who became an approver: when a day has passed since. Null: from the beginning. */
  readonly approvesFrom: string | null;
}

/** Oldest first: without a choice, a person signs in to the shop that they joined first. */
export async function listMemberships(
  db: Prisma.TransactionClient,
  userId: string,
): Promise<readonly Membership[]> {
  const rows = await db.member.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: {
      role: true,
      approvesFrom: true,
      organization: {
        select: { id: true, name: true, slug: true, settings: { select: { secondFactor: true } } },
      },
    },
  });
  return rows.map(({ role, approvesFrom: from, organization }) => ({
    tenantId: organization.id,
    tenantName: organization.name,
    tenantSlug: organization.slug,
    role: role as Role,
    needsSecondFactor: organization.settings?.secondFactor ?? false,
    approvesFrom: from?.toISOString() ?? null,
  }));
}

/** Those of these people who may propose something in the shop now. */
export async function whoMayPropose(
  db: Prisma.TransactionClient,
  tenantId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const members = await db.member.findMany({
    where: { organizationId: tenantId, userId: { in: [...userIds] }, role: { not: 'viewer' } },
    select: { userId: true },
  });
  return new Set(members.map(({ userId }) => userId));
}

/**
 * From when a member who became an approver a short time ago may approve; undefined: now. By the database's clock. Triggers
 * on the proposals refuse an earlier approval.
 */
export async function approvesFrom(
  db: Prisma.TransactionClient,
  { tenantId, userId }: { readonly tenantId: string; readonly userId: string },
): Promise<string | undefined> {
  const [waiting] = await db.$queryRaw<{ from: Date }[]>`
    SELECT approves_from AS "from" FROM member
    WHERE organization_id = ${tenantId} AND user_id = ${userId} AND approves_from > clock_timestamp()`;
  return waiting?.from.toISOString();
}

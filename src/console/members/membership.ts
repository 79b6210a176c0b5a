import type { Prisma } from '#prisma';

/** Each may do what those before it may. A CHECK holds the same list. */
export const roles = ['viewer', 'operator', 'approver', 'owner'] as const;
export type Role = (typeof roles)[number];

export function reaches(role: Role, least: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(least);
}

export interface Membership {
  readonly tenantId: string;
  readonly tenantName: string;
  readonly tenantSlug: string;
  readonly role: Role;
}

/** Oldest first: where somebody has always worked is where they find themselves. */
export async function listMemberships(
  db: Prisma.TransactionClient,
  userId: string,
): Promise<readonly Membership[]> {
  const rows = await db.member.findMany({
    where: { userId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    select: { role: true, organization: { select: { id: true, name: true, slug: true } } },
  });
  return rows.map(({ role, organization }) => ({
    tenantId: organization.id,
    tenantName: organization.name,
    tenantSlug: organization.slug,
    role: role as Role,
  }));
}

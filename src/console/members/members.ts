import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { holdRole, type Role } from './membership.ts';

export async function listMembers(db: Prisma.TransactionClient, tenantId: string) {
  const rows = await db.member.findMany({
    where: { organizationId: tenantId },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    include: { user: { select: { id: true, name: true, email: true, twoFactorEnabled: true } } },
  });
  return rows.map(({ id, role, createdAt, joinedBy, approvesFrom, user }) => ({
    id,
    userId: user.id,
    name: user.name,
    email: user.email,
    role: role as Role,
    secondFactor: user.twoFactorEnabled === true,
    joinedAt: createdAt.toISOString(),
    joinedBy: joinedBy as 'administrator' | 'mailed_link' | 'shown_link',
    approvesFrom: approvesFrom?.toISOString() ?? null,
  }));
}

export type MemberChange =
  | { readonly kind: 'done' }
  | { readonly kind: 'no_such_member' }
  /** The shop would be left without an owner. */
  | { readonly kind: 'last_owner' };

/**
 * Owners who demote or remove each other at the same moment are serialized by a lock on the tenant's row, so the second
 * sees what the first has done. The trigger `member_keep_an_owner` guarantees the same for every other statement.
 */
export function changeRole(
  db: PrismaClient,
  actor: Actor,
  memberId: string,
  role: Role,
): Promise<MemberChange> {
  return db.$transaction(async (tx) => {
    const found = await lockMember(tx, actor, memberId, role !== 'owner');
    if (found.kind !== 'found') return found;
    const { member } = found;
    if (member.role === role) return { kind: 'done' };
    await tx.member.update({ where: { id: memberId }, data: { role } });
    const revoked = role === 'owner' ? 0 : await revokeInvitationsOf(tx, member);
    await writeAuditEntry(tx, found.actor, {
      action: 'member.change_role',
      subject: { type: 'user', id: member.userId },
      details: { email: member.user.email, from: member.role, to: role, invitationsRevoked: revoked },
    });
    return { kind: 'done' };
  });
}

export function removeMember(db: PrismaClient, actor: Actor, memberId: string): Promise<MemberChange> {
  return db.$transaction(async (tx) => {
    const found = await lockMember(tx, actor, memberId, true);
    if (found.kind !== 'found') return found;
    const { member } = found;
    await tx.member.delete({ where: { id: memberId } });
    const revoked = await revokeInvitationsOf(tx, member);
    await writeAuditEntry(tx, found.actor, {
      action: 'member.remove',
      subject: { type: 'user', id: member.userId },
      details: { email: member.user.email, role: member.role, invitationsRevoked: revoked },
    });
    return { kind: 'done' };
  });
}

async function lockMember(tx: Prisma.TransactionClient, actor: Actor, memberId: string, losesOwner: boolean) {
  const { tenantId } = actor;
  await tx.$queryRaw`SELECT FROM organization WHERE id = ${tenantId} FOR NO KEY UPDATE`;
  if (actor.needs) await holdRole(tx, actor, actor.needs);
  const member = await tx.member.findFirst({
    where: { id: memberId, organizationId: tenantId },
    include: { user: { select: { email: true } } },
  });
  if (!member) return { kind: 'no_such_member' } as const;
  if (losesOwner && member.role === 'owner') {
    const owners = await tx.member.count({ where: { organizationId: tenantId, role: 'owner' } });
    if (owners === 1) return { kind: 'last_owner' } as const;
  }
  // The role is held. It is not asked for again after the change, which may have been of the actor's own.
  return { kind: 'found', member, actor: { ...actor, needs: undefined } } as const;
}

/**
 * A former owner could otherwise return through an invitation of their own, or, without a mail server, through any other: owners read
 * their links in the outbox. The administrator's links are not there.
 */
async function revokeInvitationsOf(
  tx: Prisma.TransactionClient,
  former: { readonly organizationId: string; readonly userId: string; readonly role: string },
): Promise<number> {
  const { organizationId, userId, role } = former;
  const read = { delivery: 'shown', inviterId: { not: null } };
  const { count } = await tx.invitation.updateMany({
    where: {
      ...{ organizationId, status: 'pending' },
      OR: [{ inviterId: userId }, ...(role === 'owner' ? [read] : [])],
    },
    data: { status: 'revoked' },
  });
  return count;
}

import { writeAuditEntry } from '#console/audit/write-audit-entry.ts';
import type { Prisma, PrismaClient } from '#prisma';

/** Writes what happened to a person’s account to the audit log of every shop they are a member of. */
export async function auditAccount(
  db: PrismaClient,
  userId: string,
  entry: {
    readonly action: string;
    readonly details?: Prisma.InputJsonObject;
    /** Whether it is known that the person did it. A wrong password says nothing about who typed it. */
    readonly byPerson: boolean;
  },
): Promise<void> {
  const members = await db.member.findMany({ where: { userId }, include: { user: true } });
  for (const { organizationId: tenantId, user } of members) {
    const actor = entry.byPerson
      ? { tenantId, userId, email: user.email }
      : { tenantId, userId: 'stranger', email: 'not signed in' };
    await writeAuditEntry(db, actor, {
      action: entry.action,
      subject: { type: 'user', id: userId },
      details: { email: user.email, ...entry.details },
    });
  }
}

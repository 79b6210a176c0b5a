import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

type Db = Prisma.TransactionClient;

/** Read by the poller before each round: a pause takes effect within a second, in every worker. */
export async function listPausedTenants(db: Db): Promise<string[]> {
  const rows = await db.checkPause.findMany({ select: { tenantId: true } });
  return rows.map(({ tenantId }) => tenantId);
}

export async function readCheckPause(db: Db, tenantId: string) {
  const row = await db.checkPause.findUnique({ where: { tenantId } });
  return row && { since: row.pausedAt.toISOString(), by: row.pausedBy, reason: row.reason };
}

/**
 * No automatic check of the tenant's unknown operations is made until an operator resumes them: for an incident at the bank,
 * when each check would only fail. Webhooks and operators still resolve operations. False: they were paused before.
 */
export function pauseChecks(db: PrismaClient, actor: Actor, reason: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.checkPause.createMany({
      data: [{ tenantId: actor.tenantId, pausedBy: actor.email, reason }],
      skipDuplicates: true,
    });
    if (count === 1) {
      await writeAuditEntry(tx, actor, {
        action: 'checks.pause',
        subject: { type: 'tenant', id: actor.tenantId },
        reason,
      });
    }
    return count === 1;
  });
}

/** What became due meanwhile is checked at once. False: they were not paused. */
export function resumeChecks(db: PrismaClient, actor: Actor): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.checkPause.deleteMany({ where: { tenantId: actor.tenantId } });
    if (count === 1) {
      await writeAuditEntry(tx, actor, {
        action: 'checks.resume',
        subject: { type: 'tenant', id: actor.tenantId },
      });
    }
    return count === 1;
  });
}

import type { Prisma } from '#prisma';

/** Who did it, as the session says; never what a form says. */
export interface Actor {
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
}

export interface NewAuditEntry {
  /** `subject.verb`, such as operation.reconcile or member.invite. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly reason?: string | undefined;
  /** What was known and what came of it. No secrets, keys or card data: whoever may read the log reads this. */
  readonly details?: Prisma.InputJsonObject;
}

/** Called inside the transaction of the action where it has one, so that no action is committed without its entry. */
export async function writeAuditEntry(
  db: Prisma.TransactionClient,
  actor: Actor,
  entry: NewAuditEntry,
): Promise<void> {
  await db.auditEntry.create({
    data: {
      tenantId: actor.tenantId,
      actorId: actor.userId,
      actorEmail: actor.email,
      action: entry.action,
      subjectType: entry.subject.type,
      subjectId: entry.subject.id,
      ...(entry.reason !== undefined && { reason: entry.reason }),
      ...(entry.details && { details: entry.details }),
    },
  });
}

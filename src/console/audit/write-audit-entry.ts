import type { Prisma } from '#prisma';

/** Who did it, as the session says; never what a form says. */
export interface Actor {
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
}

export interface Deed {
  /** `subject.verb`, such as operation.reconcile or member.invite. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly reason?: string | undefined;
  /** What was known and what came of it. No secrets, keys or card data: whoever may read the log reads this. */
  readonly details?: Prisma.InputJsonObject;
}

/** Inside the transaction of the deed where it has one: what is not in the log has not happened. */
export async function recordDeed(db: Prisma.TransactionClient, actor: Actor, deed: Deed): Promise<void> {
  await db.auditEntry.create({
    data: {
      tenantId: actor.tenantId,
      actorId: actor.userId,
      actorEmail: actor.email,
      action: deed.action,
      subjectType: deed.subject.type,
      subjectId: deed.subject.id,
      ...(deed.reason !== undefined && { reason: deed.reason }),
      ...(deed.details && { details: deed.details }),
    },
  });
}

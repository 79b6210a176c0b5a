import type { Prisma } from '#prisma';

/** The person who acted, taken from the session and never from the request's input. */
export interface Actor {
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
}

/** The person as the engine's events name them. */
export function actorOf(person: Actor): string {
  return `operator:${person.userId}`;
}

export interface NewAuditEntry {
  /** `subject.verb`, such as operation.reconcile or member.invite. */
  readonly action: string;
  readonly subject: { readonly type: string; readonly id: string };
  readonly reason?: string | undefined;
  /** What was known and what resulted. No secrets, keys or card data: every member of the shop can read the log. */
  readonly details?: Prisma.InputJsonObject;
}

/** Pass the action's own transaction where there is one, so that no action is committed without its entry. */
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

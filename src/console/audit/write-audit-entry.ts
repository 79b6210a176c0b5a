import type { Prisma } from '#prisma';
import { holdRole, type Role } from '../members/membership.ts';

/** The person who acted, taken from the session and never from the request's input. */
export interface Actor {
  readonly tenantId: string;
  readonly userId: string;
  readonly email: string;
  /** The role that the action takes. Where it is named, the entry is written only while the person has it. */
  readonly needs?: Role | undefined;
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

/**
 * Pass the action's own transaction where there is one, so that no action is committed without its entry, nor for a person
 * who has lost their role meanwhile: that throws `RoleLost`.
 */
export async function writeAuditEntry(
  db: Prisma.TransactionClient,
  actor: Actor,
  entry: NewAuditEntry,
): Promise<void> {
  if (actor.needs) await holdRole(db, actor, actor.needs);
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

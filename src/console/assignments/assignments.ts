import type { OperationRef } from '#idempotency/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';

type Db = Prisma.TransactionClient;

export interface Assignment {
  readonly assignee: { readonly id: string; readonly email: string } | null;
  /** Until then the operation is out of the queue. Null: it is not snoozed, or the time is over. */
  readonly snoozedUntil: string | null;
}

/**
 * Who takes care of these operations, and which are snoozed. A person who may no longer act, because they were removed or demoted,
 * takes care of none: the others would wait for them.
 */
export async function readAssignments(
  db: Db,
  tenantId: string,
  operationIds: readonly string[],
): Promise<ReadonlyMap<string, Assignment>> {
  const rows = await db.$queryRaw<
    {
      operation_id: string;
      assignee_id: string | null;
      assignee_email: string | null;
      snoozed_until: Date | null;
    }[]
  >`
    SELECT a.operation_id, m.user_id AS assignee_id, a.assignee_email,
      CASE WHEN a.snoozed_until > clock_timestamp() THEN a.snoozed_until END AS snoozed_until
    FROM operation_assignment a
    LEFT JOIN member m ON m.organization_id = a.tenant_id AND m.user_id = a.assignee_id AND m.role <> 'viewer'
    WHERE a.tenant_id = ${tenantId} AND a.operation_id = ANY(${operationIds}::uuid[])`;
  return new Map(
    rows.map(({ operation_id, assignee_id, assignee_email, snoozed_until }) => [
      operation_id,
      {
        assignee: assignee_id && assignee_email ? { id: assignee_id, email: assignee_email } : null,
        snoozedUntil: snoozed_until?.toISOString() ?? null,
      },
    ]),
  );
}

/** A note is an entry of the audit log: it is never changed, and is read where the operation is. */
export function addNote(db: Db, actor: Actor, operationId: string, text: string): Promise<void> {
  return writeAuditEntry(db, actor, {
    action: 'operation.note',
    subject: { type: 'operation', id: operationId },
    reason: text,
  });
}

/** Null: no assignee. False: the person is not a member who may act. */
export function assignOperation(
  db: PrismaClient,
  actor: Actor,
  operationId: string,
  userId: string | null,
): Promise<boolean> {
  const { tenantId } = actor;
  return db.$transaction(async (tx) => {
    const member =
      userId === null
        ? null
        : await tx.member.findFirst({
            where: { organizationId: tenantId, userId, role: { not: 'viewer' } },
            select: { user: { select: { email: true } } },
          });
    if (userId !== null && !member) return false;
    const email = member?.user.email ?? null;
    await tx.operationAssignment.upsert({
      where: { tenantId_operationId: { tenantId, operationId } },
      create: { tenantId, operationId, assigneeId: userId, assigneeEmail: email },
      update: { assigneeId: userId, assigneeEmail: email },
    });
    await writeAuditEntry(tx, actor, {
      action: 'operation.assign',
      subject: { type: 'operation', id: operationId },
      details: { to: email },
    });
    return true;
  });
}

/** Out of the queue for so many minutes, by the database's clock; zero brings it back. */
export async function snoozeOperation(
  db: PrismaClient,
  actor: Actor,
  { id: operationId, tenantId }: OperationRef,
  minutes: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      INSERT INTO operation_assignment (tenant_id, operation_id, snoozed_until)
      VALUES (${tenantId}, ${operationId}::uuid, clock_timestamp() + ${minutes}::int * interval '1 minute')
      ON CONFLICT (tenant_id, operation_id) DO UPDATE SET snoozed_until = excluded.snoozed_until`;
    await writeAuditEntry(tx, actor, {
      action: minutes > 0 ? 'operation.snooze' : 'operation.unsnooze',
      subject: { type: 'operation', id: operationId },
      ...(minutes > 0 && { details: { minutes } }),
    });
  });
}

/** The members who may act, to choose one of. */
export async function listAssignees(db: Db, tenantId: string): Promise<{ id: string; email: string }[]> {
  const members = await db.member.findMany({
    where: { organizationId: tenantId, role: { not: 'viewer' } },
    select: { user: { select: { id: true, email: true } } },
  });
  return members.map(({ user }) => user).toSorted((a, b) => a.email.localeCompare(b.email));
}

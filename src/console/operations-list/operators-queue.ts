import type { Prisma } from '#prisma';
import { type Assignment, readAssignments } from '../assignments/assignments.ts';
import { type ListedOperation, readOperations } from './list-operations.ts';

export interface Queued extends ListedOperation {
  /** How often operators of the shop reconciled it, and who did so last. */
  readonly assignment: Assignment;
  /** The newest note of an operator. */
  readonly note: { readonly text: string; readonly by: string; readonly at: string } | null;
  readonly people: { readonly checks: number; readonly lastEmail: string; readonly lastAt: string } | null;
}

/** A longer queue is an incident; its rest is in the list of operations. */
const queueLimit = 100;

/**
 * The operations that wait for an operator, longest first, with what operators have done about them. Those that are snoozed
 * are a list of their own.
 */
export async function readQueue(
  db: Prisma.TransactionClient,
  tenantId: string,
  snoozed = false,
): Promise<readonly Queued[]> {
  const waiting = await db.$queryRaw<{ id: string }[]>`
    SELECT r.id FROM operation r
    LEFT JOIN operation_assignment a ON a.tenant_id = r.tenant_id AND a.operation_id = r.id
    WHERE r.tenant_id = ${tenantId} AND r.escalated_at IS NOT NULL
      AND coalesce(a.snoozed_until > clock_timestamp(), false) = ${snoozed}
    ORDER BY r.escalated_at, r.id LIMIT ${queueLimit}`;
  const ids = waiting.map(({ id }) => id);
  const [rows, assignments, notes, checks] = await Promise.all([
    readOperations(db, [tenantId], ids),
    readAssignments(db, tenantId, ids),
    db.$queryRaw<{ subject_id: string; reason: string; actor_email: string; at: Date }[]>`
      SELECT DISTINCT ON (subject_id) subject_id, reason, actor_email, at FROM audit_entry
      WHERE tenant_id = ${tenantId} AND subject_type = 'operation' AND subject_id = ANY(${ids})
        AND action = 'operation.note'
      ORDER BY subject_id, id DESC`,
    db.$queryRaw<{ subject_id: string; checks: number; actor_email: string; at: Date }[]>`
      SELECT DISTINCT ON (subject_id) subject_id, actor_email, at,
        count(*) OVER (PARTITION BY subject_id)::int AS checks
      FROM audit_entry
      WHERE tenant_id = ${tenantId} AND subject_type = 'operation' AND subject_id = ANY(${ids})
        AND action = 'operation.reconcile'
      ORDER BY subject_id, id DESC`,
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const peopleOf = new Map(
    checks.map((row) => [
      row.subject_id,
      { checks: row.checks, lastEmail: row.actor_email, lastAt: row.at.toISOString() },
    ]),
  );
  const noteOf = new Map(
    notes.map((row) => [row.subject_id, { text: row.reason, by: row.actor_email, at: row.at.toISOString() }]),
  );
  return ids.flatMap((id) => {
    const row = byId.get(id);
    const assignment = assignments.get(id) ?? { assignee: null, snoozedUntil: null };
    return row
      ? [{ ...row, assignment, note: noteOf.get(id) ?? null, people: peopleOf.get(id) ?? null }]
      : [];
  });
}

import type { Prisma } from '#prisma';
import { type ListedOperation, readOperations } from './list-operations.ts';

export interface Queued extends ListedOperation {
  /** How often operators of the shop reconciled it, and who did last. */
  readonly people: { readonly checks: number; readonly lastEmail: string; readonly lastAt: string } | null;
}

/** A queue longer than this is an incident, and read in the list. */
const queueLimit = 100;

/** The operations that wait for an operator, longest first, with what has been tried. */
export async function readQueue(db: Prisma.TransactionClient, tenantId: string): Promise<readonly Queued[]> {
  const waiting = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM operation WHERE tenant_id = ${tenantId} AND escalated_at IS NOT NULL
    ORDER BY escalated_at, id LIMIT ${queueLimit}`;
  const ids = waiting.map(({ id }) => id);
  const [rows, checks] = await Promise.all([
    readOperations(db, [tenantId], ids),
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
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [{ ...row, people: peopleOf.get(id) ?? null }] : [];
  });
}

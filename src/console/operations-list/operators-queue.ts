import type { Prisma } from '#prisma';
import { type ListedOperation, readOperations } from './list-operations.ts';

export interface Queued extends ListedOperation {
  /** Who of the shop asked the provider about it last, and how often people did. */
  readonly people: { readonly looks: number; readonly lastEmail: string; readonly lastAt: string } | null;
}

/** A queue longer than this is an incident, and read in the list. */
const queueLimit = 100;

/** What waits for a person, longest first, with what has been tried. */
export async function readQueue(db: Prisma.TransactionClient, tenantId: string): Promise<readonly Queued[]> {
  const waiting = await db.idempotencyRecord.findMany({
    where: { tenantId, escalatedAt: { not: null } },
    orderBy: [{ escalatedAt: 'asc' }, { id: 'asc' }],
    take: queueLimit,
    select: { id: true },
  });
  const ids = waiting.map(({ id }) => id);
  const [rows, looks] = await Promise.all([
    readOperations(db, [tenantId], ids),
    db.$queryRaw<{ subject_id: string; looks: number; actor_email: string; at: Date }[]>`
      SELECT DISTINCT ON (subject_id) subject_id, actor_email, at,
        count(*) OVER (PARTITION BY subject_id)::int AS looks
      FROM audit_entry
      WHERE tenant_id = ${tenantId} AND subject_type = 'operation' AND subject_id = ANY(${ids})
        AND action = 'operation.reconcile'
      ORDER BY subject_id, id DESC`,
  ]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const peopleOf = new Map(
    looks.map((row) => [
      row.subject_id,
      { looks: row.looks, lastEmail: row.actor_email, lastAt: row.at.toISOString() },
    ]),
  );
  return ids.flatMap((id) => {
    const row = byId.get(id);
    return row ? [{ ...row, people: peopleOf.get(id) ?? null }] : [];
  });
}

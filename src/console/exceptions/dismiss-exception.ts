import type { PrismaClient } from '#prisma';
import { type Actor, actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';

export type Dismissal =
  | { readonly kind: 'dismissed' }
  /** Something else has been found out about it, or decided, since the operator saw it. */
  | { readonly kind: 'changed' }
  /** A refund of it was decided and has not ended: its money may be on the way back. */
  | { readonly kind: 'refund_decided' };

/** An operator decides that no money moves: the shop keeps it, or it was dealt with another way. */
export async function dismissException(
  db: PrismaClient,
  person: Actor,
  request: { readonly id: string; readonly generation: number; readonly reason: string },
): Promise<Dismissal> {
  const { tenantId } = person;
  const { id, generation, reason } = request;
  return db.$transaction(async (tx) => {
    const dismissed = await tx.$executeRaw`
      UPDATE reconciliation_exception SET status = 'dismissed', decided_at = clock_timestamp(),
        decided_by = ${actorOf(person)}, decision_reason = ${reason}
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND generation = ${generation}::int
        AND status = 'open' AND decided_by IS NULL`;
    if (dismissed === 0) {
      const shown = { tenantId, id, generation, status: 'open' };
      const isAsShown = (await tx.reconciliationException.count({ where: shown })) > 0;
      return { kind: isAsShown ? 'refund_decided' : 'changed' };
    }
    await writeAuditEntry(tx, person, {
      action: 'exception.dismiss',
      subject: { type: 'exception', id },
      reason,
    });
    return { kind: 'dismissed' };
  });
}

import { lockPayment } from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { holdRole } from '../members/membership.ts';
import { unmadeProposals } from './refund-proposals.ts';

export type RefundClosed =
  | { readonly kind: 'closed' }
  /** It is not approved, was made, may be under way, or no longer waits because another took its place. */
  | { readonly kind: 'not_waiting' }
  | { readonly kind: 'missing' };

/**
 * An approved refund that is no longer wanted. The proposer may close it, and approvers: no money moves. The lock on the payment is
 * the one under which a refund is reserved, so of an approval that is repeated at the same moment either nothing is sent, or it is
 * under way and is not closed.
 */
export async function closeRefund(
  db: PrismaClient,
  person: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<RefundClosed> {
  const { tenantId } = person;
  const proposal = await db.refundProposal.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!proposal) return { kind: 'missing' };
  const { paymentId, amountMinor, proposerId } = proposal;
  return db.$transaction(async (tx) => {
    await holdRole(tx, person, proposerId === person.userId ? 'operator' : 'approver');
    await lockPayment(tx, { tenantId, id: paymentId });
    const count = await tx.$executeRaw`
      UPDATE refund_proposal SET status = 'closed', closed_at = clock_timestamp(), close_reason = ${reason},
        closed_by_id = ${person.userId}, closed_by_email = ${person.email}
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND id IN (${unmadeProposals(tenantId)})`;
    if (count === 0) return { kind: 'not_waiting' };
    await writeAuditEntry(tx, person, {
      action: 'refund_proposal.close',
      subject: { type: 'payment', id: paymentId },
      reason,
      details: { proposal: id, amountMinor: Number(amountMinor) },
    });
    return { kind: 'closed' };
  });
}

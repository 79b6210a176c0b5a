import { money } from '#payments/money.ts';
import type { Prisma } from '#prisma';
import { isBooked } from '#reconciliation/index.ts';

/** What is open first, then newest first; the decided ones stay visible. */
export async function listLateTruths(db: Prisma.TransactionClient, tenantId: string, onlyOpen = false) {
  const rows = await db.lateTruth.findMany({
    where: { tenantId, ...(onlyOpen && { status: 'open' }) },
    include: { payment: true, refund: { select: { amountMinor: true } } },
    orderBy: [{ decidedAt: { sort: 'desc', nulls: 'first' } }, { foundAt: 'desc' }],
    // Each is somebody's money and some person's decision: more than this is an incident.
    take: 500,
  });
  return rows.map((row) => ({
    id: row.id,
    reason: row.reason,
    status: row.status,
    intentId: row.intentId,
    foundAt: row.foundAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    decisionReason: row.decisionReason,
    /** Whether it is about a refund that came back, rather than about a charge. */
    returned: row.refundId !== null,
    /** Somebody has decided to send it back, and the provider has not done it yet. */
    asked: row.status === 'open' && row.decidedBy !== null,
    /** Whether the money is in our books: then a refund is booked too, and the shopper is written to. */
    booked: isBooked(row, row.payment),
    operationId: row.payment.operationId,
    reference: row.payment.reference,
    amount: money(row.refund?.amountMinor ?? row.payment.amountMinor, row.payment.currency),
  }));
}

import type { Prisma } from '#prisma';
import { money } from '../shop/shop.ts';

/** Newest first; the decided ones stay visible. */
export async function listLateTruths(db: Prisma.TransactionClient, tenantId: string) {
  const rows = await db.lateTruth.findMany({
    where: { tenantId },
    include: { payment: true },
    orderBy: { foundAt: 'desc' },
    take: 100,
  });
  return rows.map((row) => ({
    id: row.id,
    reason: row.reason,
    status: row.status,
    intentId: row.intentId,
    foundAt: row.foundAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    operationId: row.payment.operationId,
    reference: row.payment.reference,
    amount: money(row.payment.amountMinor, row.payment.currency),
  }));
}

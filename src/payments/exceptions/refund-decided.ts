import type { Prisma } from '#prisma';
import type { Payment } from '../payment.ts';

/**
 * Whether an operator has decided to give back what the payment's intent took. It then never completes: its key would get a
 * success whose money is on its way back. Locks the payment until the end of the transaction.
 */
export async function isRefundDecided(
  tx: Prisma.TransactionClient,
  { tenantId, id, providerIntentId }: Pick<Payment, 'tenantId' | 'id' | 'providerIntentId'>,
): Promise<boolean> {
  if (providerIntentId === undefined) return false;
  await tx.$executeRaw`SELECT FROM payment WHERE tenant_id = ${tenantId} AND id = ${id}::uuid FOR UPDATE`;
  const decided = await tx.reconciliationException.count({
    where: {
      ...{ tenantId, intentId: providerIntentId },
      OR: [{ status: 'refunded' }, { status: 'open', decidedBy: { not: null } }],
    },
  });
  return decided > 0;
}

import type { Prisma } from '#prisma';
import type { Payment } from '../payment.ts';

/**
 * Whether an operator has decided to give back what the payment's intent took. It then never completes: its key would get a
 * success whose money is on its way back. The payment is locked (`lockPayment`).
 */
export async function isRefundDecided(
  tx: Prisma.TransactionClient,
  { tenantId, providerIntentId }: Pick<Payment, 'tenantId' | 'providerIntentId'>,
): Promise<boolean> {
  if (providerIntentId === undefined) return false;
  const decided = await tx.reconciliationException.count({
    where: {
      ...{ tenantId, intentId: providerIntentId },
      OR: [{ status: 'refunded' }, { status: 'open', decidedBy: { not: null } }],
    },
  });
  return decided > 0;
}

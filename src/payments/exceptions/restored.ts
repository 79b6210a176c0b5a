import type { Prisma } from '#prisma';

/** Who decides about what a replaced database had lost, where the provider's list leaves nothing to decide. */
export const comparisonActor = 'comparison';

/**
 * Whether the payment or refund was lost with its record and booked again by a comparison. Its key gets the response that it
 * had: a record that was deleted because it was old gives none, but this one was not old.
 */
export async function isRestored(
  tx: Prisma.TransactionClient,
  tenantId: string,
  about: { readonly paymentId: string; readonly refundId: string | null },
): Promise<boolean> {
  const where = { tenantId, ...about, reason: 'record_lost', status: 'booked', decidedBy: comparisonActor };
  return (await tx.reconciliationException.count({ where })) > 0;
}

import type { OperationRef } from '#idempotency/index.ts';
import type { Payment } from '#payments/payment.ts';
import type { ProviderRefund } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import { findRefundByOperation, type Refund, refundIdOf } from './refund.ts';

/**
 * A refund that the provider knows and our database does not: a promoted standby never got it, or a backup from before it was
 * restored. It is written again as released: it is not booked, and its own key may try again and then finds it as it is.
 */
export async function restoreRefund(
  tx: Prisma.TransactionClient,
  operation: OperationRef,
  payment: Payment,
  found: ProviderRefund,
): Promise<Refund | undefined> {
  const { tenantId, id: operationId } = operation;
  const { id: providerRefundId, amountMinor, generation, reference } = found;
  if (!reference) return undefined;
  await tx.refund.createMany({
    data: [
      {
        ...{ tenantId, id: refundIdOf(operation), paymentId: payment.id, operationId, status: 'released' },
        ...{ reference, amountMinor, generation, providerRefundId },
      },
    ],
    skipDuplicates: true,
  });
  return findRefundByOperation(tx, operation);
}

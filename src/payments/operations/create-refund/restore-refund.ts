import type { OperationRef } from '#idempotency/index.ts';
import type { Payment } from '#payments/payment.ts';
import { lockPayment } from '#payments/payment-rows.ts';
import type { ProviderRefund } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import type { KindParts } from '../operation-kind.ts';
import { findRefundByOperation, type Refund, refundIdOf, reserveRefund } from './refund.ts';

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

/**
 * Only the claim of a refund is left, and the provider has made it: it is reserved again, as it was before it was sent, so that the
 * operation is completed with it. Without that the next attempt would not know that there is anything to look for.
 */
export async function restoreClaimedRefund(
  { db, provider }: KindParts,
  operation: OperationRef,
  intentId: string,
): Promise<void> {
  const { tenantId, id: operationId } = operation;
  const found = await provider.findRefund({ tenantId, operationId, intentId });
  const payment = await db.payment.findFirst({ where: { tenantId, providerIntentId: intentId } });
  if (found?.kind !== 'responded' || !found.refund.reference || !payment) return;
  const { reference, amountMinor } = found.refund;
  await db.$transaction(async (tx) => {
    const open = await tx.$queryRaw<unknown[]>`
      SELECT FROM operation WHERE tenant_id = ${tenantId} AND id = ${operationId}::uuid
        AND status IN ('in_progress', 'unknown') FOR SHARE`;
    if (open.length === 0) return;
    await lockPayment(tx, payment);
    if (await findRefundByOperation(tx, operation)) return;
    await reserveRefund(tx, operation, { paymentId: payment.id, reference, amountMinor });
  });
}

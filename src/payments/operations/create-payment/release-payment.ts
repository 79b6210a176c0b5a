import type { OperationRef } from '#idempotency/index.ts';
import { paymentReleased, waitingShoppers } from '#payments/outbox/emit-event.ts';
import type { Prisma } from '#prisma';

/**
 * Nothing was charged: the reference is free again. An intent that is over, because it was cancelled or could not be made, can
 * never charge, so the next try gets a new one.
 */
export async function releasePayment(
  tx: Prisma.TransactionClient,
  { tenantId, id: operationId }: OperationRef,
  intent: 'kept' | 'over',
): Promise<void> {
  const { count } = await tx.payment.updateMany({
    where: { tenantId, operationId, status: 'pending' },
    data: {
      status: 'released',
      nextActionUrl: null,
      ...(intent === 'over' && { generation: { increment: 1 }, providerIntentId: null }),
    },
  });
  // A shopper who left while the outcome was unknown is notified, and one who is waiting for it is not. The statement that has just
  // released the record dates its resolution only if it was unknown; that of an earlier attempt is older. The source is a new id,
  // because a payment may be released more than once.
  if (count > 0) {
    await tx.$executeRaw`
      INSERT INTO outbox_event (tenant_id, payment_id, source_id, type)
      SELECT p.tenant_id, p.id, gen_random_uuid(), ${paymentReleased}
      FROM payment p JOIN operation o ON o.tenant_id = p.tenant_id AND o.id = p.operation_id
      WHERE p.tenant_id = ${tenantId} AND p.operation_id = ${operationId}::uuid AND p.receipt_email IS NOT NULL
        AND o.resolved_at = o.updated_at AND o.transition_actor <> ALL (${waitingShoppers})`;
  }
}

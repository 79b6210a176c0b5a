import { closeRefundedInFull, lockPayment, openException } from '#payments/index.ts';
import type { OutboxMessage } from '#payments/outbox/index.ts';
import type { Prisma } from '#prisma';

/**
 * Consumes payments that succeeded: money for a cancelled order is kept, booked, and shown to an operator who may refund it. The
 * merchant may have refunded it before this; then there is nothing to decide.
 *
 * This and `cancelOrder` always see each other. Both lock the order's row before they read the other's side, so one of them
 * is first. If it is this one, the payment was committed as succeeded before its event was consumed, and the cancellation,
 * which reads the payments after it has the lock, finds the order paid and does not cancel it. If it is the cancellation,
 * this waits for its commit and then reads the row as cancelled.
 */
export async function flagCancelledOrders(
  tx: Prisma.TransactionClient,
  events: readonly OutboxMessage[],
): Promise<void> {
  const payments = events.filter(({ type }) => type === 'payment.succeeded').map(({ payment }) => payment);
  if (payments.length === 0) return;
  // A payment made through the API has a reference of the merchant's own, and no order of ours behind it. Orders are locked
  // in one order, so that two batches do not deadlock.
  const orders = await tx.$queryRaw<{ tenantId: string; number: string; cancelledAt: Date | null }[]>`
    SELECT shop_order.tenant_id AS "tenantId", number, cancelled_at AS "cancelledAt"
    FROM unnest(${payments.map(({ tenantId }) => tenantId)}::text[], ${payments.map(({ reference }) => reference)}::text[])
      AS paid (tenant_id, reference)
      JOIN shop_order ON shop_order.tenant_id = paid.tenant_id AND shop_order.number = paid.reference
    ORDER BY shop_order.tenant_id, number FOR UPDATE OF shop_order`;
  for (const { tenantId, id: paymentId, reference, providerIntentId: intentId } of payments) {
    const order = orders.find((one) => one.tenantId === tenantId && one.number === reference);
    if (!order?.cancelledAt) continue;
    if (!intentId) throw new Error(`Payment ${paymentId} succeeded without an intent.`);
    await lockPayment(tx, { tenantId, id: paymentId });
    await openException(tx, { tenantId, paymentId, intentId, reason: 'order_cancelled' });
    await closeRefundedInFull(tx, { tenantId, id: paymentId });
  }
}

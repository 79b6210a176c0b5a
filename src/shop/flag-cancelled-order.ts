import { openException } from '#payments/index.ts';
import type { OutboxMessage } from '#payments/outbox/index.ts';
import type { Prisma } from '#prisma';

/**
 * Consumes payments that succeeded: money for a cancelled order is kept, booked, and shown to an operator who may refund it.
 *
 * This and `cancelOrder` always see each other. Both lock the order's row before they read the other's side, so one of them
 * is first. If it is this one, the payment was committed as succeeded before its event was consumed, and the cancellation,
 * which reads the payments after it has the lock, finds the order paid and does not cancel it. If it is the cancellation,
 * this waits for its commit and then reads the row as cancelled.
 */
export async function flagCancelledOrder(tx: Prisma.TransactionClient, event: OutboxMessage): Promise<void> {
  if (event.type !== 'payment.succeeded') return;
  const { tenantId, id: paymentId, reference, providerIntentId: intentId } = event.payment;
  const [order] = await tx.$queryRaw<{ cancelled_at: Date | null }[]>`
    SELECT cancelled_at FROM shop_order WHERE tenant_id = ${tenantId} AND number = ${reference} FOR UPDATE`;
  // A payment made through the API has a reference of the merchant's own, and no order of ours behind it.
  if (!order?.cancelled_at) return;
  if (!intentId) throw new Error(`Payment ${paymentId} succeeded without an intent.`);
  await openException(tx, { tenantId, paymentId, intentId, reason: 'order_cancelled' });
}

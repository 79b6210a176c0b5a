import type { Prisma } from '#prisma';
import type { Payment } from '../payment.ts';

export const paymentEventTypes = [
  'payment.succeeded',
  'payment.declined',
  'refund.succeeded',
  'refund.failed',
] as const;
/**
 * It is proven that an unknown payment did not happen, and the shopper does not wait for that. For the shopper only: to the
 * merchant, the payment goes on.
 */
export const paymentReleased = 'payment.released';

/** On whose behalf an unknown payment is resolved while the shopper sees the outcome on the page: they need no e-mail. */
export const waitingShoppers = ['shopper', 'return'];

export type PaymentEventType = (typeof paymentEventTypes)[number];

/**
 * The event of a refund, written in the transaction of the final state. That of a payment is in its row statement. The
 * relay takes both from there (relay.ts).
 */
export async function emitPaymentEvent(
  tx: Prisma.TransactionClient,
  payment: Payment,
  type: PaymentEventType,
  sourceId: string,
): Promise<void> {
  await tx.outboxEvent.create({
    data: { tenantId: payment.tenantId, paymentId: payment.id, sourceId, type },
  });
}

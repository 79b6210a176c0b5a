import type { Prisma } from '#prisma';
import { addJob } from '#queue/index.ts';
import type { Payment } from '../payment.ts';

export const paymentEventTask = 'payment_event';

export const paymentEventTypes = [
  'payment.succeeded',
  'payment.declined',
  'refund.succeeded',
  'refund.failed',
] as const;
export type PaymentEventType = (typeof paymentEventTypes)[number];

/**
 * The event and the job that carries it are written in the transaction of the final state: there is no moment in
 * which one is true without the other. The worker is told of the job by that same commit.
 */
export async function emitPaymentEvent(
  tx: Prisma.TransactionClient,
  payment: Payment,
  type: PaymentEventType,
  sourceId: string = payment.id,
): Promise<void> {
  const event = await tx.outboxEvent.create({
    data: { tenantId: payment.tenantId, paymentId: payment.id, sourceId, type },
    select: { id: true },
  });
  const payload = { tenantId: payment.tenantId, id: event.id };
  await addJob(tx, { task: paymentEventTask, payload, key: event.id });
}

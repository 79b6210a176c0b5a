import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';
import { keyOf } from '../payment-rows.ts';
import type { OutboxMessage } from './consume-event.ts';
import { deliverWebhookTask, enqueue } from './jobs.ts';

/** An endpoint gets the events from after it was set; a merchant without one gets none. */
export async function notifyMerchant(tx: Prisma.TransactionClient, event: OutboxMessage): Promise<void> {
  const endpoint = await tx.merchantWebhookEndpoint.findFirst({
    where: { tenantId: event.tenantId, disabledAt: null },
  });
  if (!endpoint) return;
  const id = randomUUID();
  const { count } = await tx.merchantWebhookDelivery.createMany({
    data: [
      {
        id,
        tenantId: event.tenantId,
        eventId: event.id,
        endpointId: endpoint.id,
        body: JSON.stringify(await messageOf(tx, event)),
      },
    ],
    skipDuplicates: true,
  });
  if (count === 1) await enqueue(tx, deliverWebhookTask, { tenantId: event.tenantId, id });
}

/** The payment as the HTTP API shows it; an event about a refund says which. The receiver goes by `id`. */
async function messageOf(tx: Prisma.TransactionClient, event: OutboxMessage) {
  const { payment } = event;
  return {
    id: event.id,
    type: event.type,
    createdAt: event.createdAt.toISOString(),
    data: {
      paymentId: payment.id,
      operationId: payment.operationId,
      status: payment.status,
      amountMinor: Number(payment.amountMinor),
      currency: payment.currency,
      reference: payment.reference,
      refundedMinor: Number(payment.refundedMinor),
      declineCode: payment.declineCode,
      createdAt: payment.createdAt.toISOString(),
      completedAt: payment.completedAt?.toISOString() ?? null,
      ...(event.type.startsWith('refund.') && { refund: await refundOf(tx, event) }),
    },
  };
}

async function refundOf(tx: Prisma.TransactionClient, { tenantId, sourceId }: OutboxMessage) {
  const refund = await tx.refund.findUniqueOrThrow({ where: keyOf({ tenantId, id: sourceId }) });
  return {
    refundId: refund.id,
    operationId: refund.operationId,
    status: refund.status,
    amountMinor: Number(refund.amountMinor),
    completedAt: refund.completedAt?.toISOString() ?? null,
  };
}

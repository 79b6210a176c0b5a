import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';
import type { OutboxMessage } from './consume-event.ts';
import { deliverWebhookTask, enqueue } from './jobs.ts';

/** A merchant without an endpoint asked for nothing: an endpoint hears of what happens after it was set. */
export async function tellMerchant(tx: Prisma.TransactionClient, event: OutboxMessage): Promise<void> {
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
  if (count === 1) await enqueue(tx, deliverWebhookTask, id);
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
      settledAt: payment.settledAt?.toISOString() ?? null,
      ...(event.type.startsWith('refund.') && { refund: await refundOf(tx, event.sourceId) }),
    },
  };
}

async function refundOf(tx: Prisma.TransactionClient, id: string) {
  const refund = await tx.refund.findUniqueOrThrow({ where: { id } });
  return {
    refundId: refund.id,
    operationId: refund.operationId,
    status: refund.status,
    amountMinor: Number(refund.amountMinor),
    settledAt: refund.settledAt?.toISOString() ?? null,
  };
}

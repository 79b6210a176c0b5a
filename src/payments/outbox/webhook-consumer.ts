import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import type { OutboxMessage } from './consume-event.ts';
import { paymentReleased } from './emit-event.ts';
import { deliverWebhookTask, enqueue } from './jobs.ts';

/**
 * One delivery for each endpoint that wants the event, all of the same bytes. An endpoint gets the events from after it
 * was added or enabled; a merchant without one gets none.
 */
export async function notifyMerchants(
  tx: Prisma.TransactionClient,
  events: readonly OutboxMessage[],
): Promise<void> {
  const announced = events.filter(({ type }) => type !== paymentReleased);
  if (announced.length === 0) return;
  const endpoints = await tx.merchantWebhookEndpoint.findMany({
    where: {
      tenantId: { in: [...new Set(announced.map(({ tenantId }) => tenantId))] },
      ...{ disabledAt: null, removedAt: null },
    },
    select: { tenantId: true, id: true, eventTypes: true },
  });
  for (const event of announced) {
    const wanting = endpoints.filter(
      ({ tenantId, eventTypes }) =>
        tenantId === event.tenantId && (eventTypes.length === 0 || eventTypes.includes(event.type)),
    );
    if (wanting.length > 0) await addDeliveries(tx, event, wanting);
  }
}

async function addDeliveries(
  tx: Prisma.TransactionClient,
  event: OutboxMessage,
  endpoints: readonly { readonly id: string }[],
): Promise<void> {
  const { tenantId, id: eventId, type } = event;
  const body = JSON.stringify(await messageOf(tx, event));
  const deliveries = await tx.merchantWebhookDelivery.createManyAndReturn({
    data: endpoints.map(({ id: endpointId }) => ({ tenantId, endpointId, eventId, type, body })),
    skipDuplicates: true,
    select: { id: true },
  });
  for (const { id } of deliveries) await enqueue(tx, deliverWebhookTask, { tenantId, id });
}

/** The payment as the HTTP API shows it; an event about a refund says which. The receiver deduplicates by `id`. */
async function messageOf(tx: Prisma.TransactionClient, event: OutboxMessage) {
  const { payment } = event;
  return {
    id: event.id,
    type: event.type,
    timestamp: event.createdAt.toISOString(),
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
  const refund = await tx.refund.findUniqueOrThrow({ where: byId({ tenantId, id: sourceId }) });
  return {
    refundId: refund.id,
    operationId: refund.operationId,
    reference: refund.reference,
    status: refund.status,
    amountMinor: Number(refund.amountMinor),
    completedAt: refund.completedAt?.toISOString() ?? null,
  };
}

import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import type { OutboxMessage } from './consume-event.ts';
import { paymentReleased } from './emit-event.ts';
import { deliverWebhookTask, enqueue } from './jobs.ts';

/**
 * The deliveries to an endpoint for which so many wait already go behind those of all others: a shop that has thousands to send,
 * to up to ten addresses, does not hold up the few of another.
 */
const usuallyWaiting = 20;

interface LiveEndpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly eventTypes: readonly string[];
  /** How many deliveries wait for it, counted up to `usuallyWaiting`. */
  waiting: number;
}

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
  const endpoints = await readEndpoints(tx, [...new Set(announced.map(({ tenantId }) => tenantId))]);
  for (const event of announced) {
    const wanting = endpoints.filter(
      ({ tenantId, eventTypes }) =>
        tenantId === event.tenantId && (eventTypes.length === 0 || eventTypes.includes(event.type)),
    );
    if (wanting.length > 0) await addDeliveries(tx, event, wanting);
  }
}

function readEndpoints(tx: Prisma.TransactionClient, tenantIds: readonly string[]): Promise<LiveEndpoint[]> {
  return tx.$queryRaw<LiveEndpoint[]>`
    SELECT e.tenant_id AS "tenantId", e.id, e.event_types AS "eventTypes", (
      SELECT count(*)::int FROM (
        SELECT FROM merchant_webhook_delivery d
        WHERE d.tenant_id = e.tenant_id AND d.endpoint_id = e.id AND d.status = 'queued'
        LIMIT ${usuallyWaiting}) AS counted) AS waiting
    FROM merchant_webhook_endpoint e
    WHERE e.tenant_id = ANY (${tenantIds}::text[]) AND e.disabled_at IS NULL AND e.removed_at IS NULL`;
}

async function addDeliveries(
  tx: Prisma.TransactionClient,
  event: OutboxMessage,
  endpoints: readonly LiveEndpoint[],
): Promise<void> {
  const { tenantId, id: eventId, type } = event;
  const body = JSON.stringify(await messageOf(tx, event));
  const deliveries = await tx.merchantWebhookDelivery.createManyAndReturn({
    data: endpoints.map(({ id: endpointId }) => ({ tenantId, endpointId, eventId, type, body })),
    skipDuplicates: true,
    select: { id: true, endpointId: true },
  });
  for (const { id, endpointId } of deliveries) {
    const endpoint = endpoints.find((one) => one.id === endpointId);
    const last = endpoint !== undefined && endpoint.waiting >= usuallyWaiting;
    await enqueue(tx, deliverWebhookTask, { tenantId, id }, { last });
    if (endpoint) endpoint.waiting += 1;
  }
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

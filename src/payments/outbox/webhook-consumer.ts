import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import type { OutboxMessage } from './consume-event.ts';
import { paymentReleased } from './emit-event.ts';
import { deliverWebhookTask, enqueueAll } from './jobs.ts';

/**
 * The deliveries of a shop for which so many wait already, at all its endpoints together, go behind those of all others: a shop
 * that has thousands to send, to up to ten addresses, does not hold up the few of another.
 */
const usuallyWaiting = 20;

interface LiveEndpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly eventTypes: readonly string[];
  /** How many deliveries wait for it, counted up to `usuallyWaiting`. */
  readonly waiting: number;
}

/**
 * One delivery for each endpoint that wants the event, all of the same bytes. An endpoint gets the events from after it
 * was added or enabled; a merchant without one gets none.
 *
 * A batch of fifty events has up to five hundred deliveries, which are written by two statements: by one for each, they took longer
 * than a transaction may, and the events of all shops in the batch waited.
 */
export async function notifyMerchants(
  tx: Prisma.TransactionClient,
  events: readonly OutboxMessage[],
): Promise<void> {
  const announced = events.filter(({ type }) => type !== paymentReleased);
  if (announced.length === 0) return;
  const endpoints = await readEndpoints(tx, [...new Set(announced.map(({ tenantId }) => tenantId))]);
  const wanted: Prisma.MerchantWebhookDeliveryCreateManyInput[] = [];
  for (const event of announced) {
    const { tenantId, id: eventId, type } = event;
    const wanting = endpoints.filter(
      (one) => one.tenantId === tenantId && (one.eventTypes.length === 0 || one.eventTypes.includes(type)),
    );
    if (wanting.length === 0) continue;
    const body = JSON.stringify(await messageOf(tx, event));
    wanted.push(...wanting.map(({ id: endpointId }) => ({ tenantId, endpointId, eventId, type, body })));
  }
  if (wanted.length > 0) await addDeliveries(tx, wanted, endpoints);
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
  wanted: Prisma.MerchantWebhookDeliveryCreateManyInput[],
  endpoints: readonly LiveEndpoint[],
): Promise<void> {
  const deliveries = await tx.merchantWebhookDelivery.createManyAndReturn({
    data: wanted,
    skipDuplicates: true,
    select: { tenantId: true, id: true },
  });
  const waiting = new Map<string, number>();
  for (const one of endpoints) waiting.set(one.tenantId, (waiting.get(one.tenantId) ?? 0) + one.waiting);
  const rows = deliveries.map(({ tenantId, id }) => {
    const before = waiting.get(tenantId) ?? 0;
    waiting.set(tenantId, before + 1);
    return { tenantId, id, last: before >= usuallyWaiting };
  });
  await enqueueAll(tx, deliverWebhookTask, rows);
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

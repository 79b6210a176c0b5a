import type { OperationRef } from '#idempotency/index.ts';
import { type PaymentEventType, paymentEventTypes } from '#payments/index.ts';
import type { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

/** What the key of the event's e-mail begins with. The other events have none. */
const emailKeys: Partial<Record<PaymentEventType, string>> = {
  'payment.succeeded': 'receipt',
  'refund.succeeded': 'refund',
};

/** The provider's events about the operation, and the events that it caused, each with its e-mail and deliveries. */
export async function operationMessages(
  db: Db,
  { tenantId, id: operationId }: OperationRef,
  /** The operation's own row, which events and e-mails name as their source. */
  sourceId: string | undefined,
) {
  const [received, events, emails] = await Promise.all([
    db.providerEvent.findMany({
      where: { tenantId, operationId },
      orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
      select: { id: true, eventId: true, type: true, status: true, outcome: true, receivedAt: true },
      take: 100,
    }),
    sourceId
      ? db.outboxEvent.findMany({
          // With all the types, the events are found by the unique index (tenant, source, type).
          where: { tenantId, sourceId, type: { in: [...paymentEventTypes] } },
          orderBy: { createdAt: 'asc' },
          include: { deliveries: { include: { endpoint: { select: { url: true } } } } },
        })
      : [],
    sourceId
      ? db.email.findMany({
          where: {
            tenantId,
            dedupeKey: { in: Object.values(emailKeys).map((kind) => `${kind}:${sourceId}`) },
          },
          select: { id: true, subject: true, status: true, dedupeKey: true },
        })
      : [],
  ]);
  return {
    received: received.map(({ receivedAt, ...event }) => ({ ...event, at: receivedAt.toISOString() })),
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      at: event.createdAt.toISOString(),
      emails: emails
        .filter(({ dedupeKey }) => dedupeKey === `${emailKeys[event.type as PaymentEventType]}:${sourceId}`)
        .map(({ id, subject, status }) => ({ id, subject, status })),
      deliveries: event.deliveries.map(({ id, status, attempts, endpoint, lastUrl }) => ({
        id,
        status,
        attempts,
        url: lastUrl ?? endpoint.url,
      })),
    })),
  };
}

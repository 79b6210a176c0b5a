import type { OperationRef } from '#idempotency/index.ts';
import { paymentEventTypes } from '#payments/index.ts';
import type { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

/** The provider's events about the operation, and the events and e-mails that it caused. */
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
          where: { tenantId, dedupeKey: { in: [`receipt:${sourceId}`, `refund:${sourceId}`] } },
          select: { id: true, subject: true, status: true, createdAt: true },
        })
      : [],
  ]);
  return {
    received: received.map(({ receivedAt, ...event }) => ({ ...event, at: receivedAt.toISOString() })),
    events: events.map((event) => ({
      id: event.id,
      type: event.type,
      at: event.createdAt.toISOString(),
      deliveries: event.deliveries.map(({ id, status, attempts, endpoint, lastUrl }) => ({
        id,
        status,
        attempts,
        url: lastUrl ?? endpoint.url,
      })),
    })),
    emails: emails.map(({ createdAt, ...email }) => ({ ...email, at: createdAt.toISOString() })),
  };
}

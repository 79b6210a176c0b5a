import type { OperationRef } from '#idempotency/index.ts';
import type { PaymentEventType } from '#payments/index.ts';
import type { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

/** All event types. With them the events of a payment or a refund are found by the unique index (tenant, source, type). */
export const eventTypes = [
  'payment.succeeded',
  'payment.declined',
  'refund.succeeded',
  'refund.failed',
] satisfies PaymentEventType[];

/** The provider's events about the operation, and the events and e-mails that it caused. */
export async function operationMessages(
  db: Db,
  { tenantId, id: operationId }: OperationRef,
  about: { readonly paymentId: string; readonly refundId: string | undefined } | undefined,
) {
  const sourceId = about?.refundId ?? about?.paymentId;
  const [received, events, emails] = await Promise.all([
    db.providerEvent.findMany({
      where: { tenantId, operationId },
      orderBy: [{ receivedAt: 'asc' }, { id: 'asc' }],
      select: { id: true, eventId: true, type: true, status: true, outcome: true, receivedAt: true },
      take: 100,
    }),
    sourceId
      ? db.outboxEvent.findMany({
          where: { tenantId, sourceId, type: { in: eventTypes } },
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
      deliveries: event.deliveries.map(({ id, status, attempts, endpoint }) => ({
        id,
        status,
        attempts,
        url: endpoint.url,
      })),
    })),
    emails: emails.map(({ createdAt, ...email }) => ({ ...email, at: createdAt.toISOString() })),
  };
}

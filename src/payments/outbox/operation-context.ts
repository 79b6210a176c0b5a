import type { Prisma } from '#prisma';
import { byId } from '../payment-rows.ts';
import type { OperationContext } from '../provider.ts';
import type { TenantRow } from './tenant-row.ts';

/** The operation that a message is about, for the log: every line about a payment names its operation and its tenant. */
export async function contextOfEmail(
  db: Prisma.TransactionClient,
  row: TenantRow,
): Promise<OperationContext | undefined> {
  const email = await db.email.findUnique({ where: byId(row), select: { dedupeKey: true } });
  const [kind, sourceId] = email?.dedupeKey.split(':') ?? [];
  if (!sourceId) return undefined;
  const { tenantId } = row;
  const payment = await paymentOfSource(db, kind ?? '', { tenantId, id: sourceId });
  return payment ? { operationId: payment.operationId, tenantId } : undefined;
}

/** What an e-mail is about, by the first part of its key. An invitation is about no payment. */
async function paymentOfSource(db: Prisma.TransactionClient, kind: string, source: TenantRow) {
  const where = byId(source);
  switch (kind) {
    case 'receipt':
    case 'not_charged':
      return db.payment.findUnique({ where });
    case 'refund':
      return (await db.refund.findUnique({ where, select: { payment: true } }))?.payment;
    default:
      return undefined;
  }
}

export async function contextOfDelivery(
  db: Prisma.TransactionClient,
  delivery: TenantRow,
): Promise<OperationContext | undefined> {
  const row = await db.merchantWebhookDelivery.findUnique({
    where: byId(delivery),
    select: { event: { select: { payment: { select: { operationId: true } } } } },
  });
  // A test is about no payment.
  return row?.event ? { operationId: row.event.payment.operationId, tenantId: delivery.tenantId } : undefined;
}

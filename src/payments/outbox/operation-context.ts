import type { Prisma } from '#prisma';
import { keyOf } from '../payment-rows.ts';
import type { TenantRow } from './jobs.ts';

export interface OperationContext {
  readonly operationId: string;
  readonly tenantId: string;
}

/** The operation that a message is about, for the log: every line about a payment names its operation and its tenant. */
export async function contextOfEmail(
  db: Prisma.TransactionClient,
  row: TenantRow,
): Promise<OperationContext | undefined> {
  const email = await db.email.findUnique({ where: keyOf(row), select: { dedupeKey: true } });
  const [kind, sourceId] = email?.dedupeKey.split(':') ?? [];
  if (!sourceId || (kind !== 'receipt' && kind !== 'refund')) return undefined;
  const { tenantId } = row;
  const source = keyOf({ tenantId, id: sourceId });
  const payment =
    kind === 'refund'
      ? (await db.refund.findUnique({ where: source, select: { payment: true } }))?.payment
      : await db.payment.findUnique({ where: source });
  return payment ? { operationId: payment.operationId, tenantId } : undefined;
}

export async function contextOfDelivery(
  db: Prisma.TransactionClient,
  delivery: TenantRow,
): Promise<OperationContext | undefined> {
  const row = await db.merchantWebhookDelivery.findUnique({
    where: keyOf(delivery),
    select: { event: { select: { payment: { select: { operationId: true } } } } },
  });
  return row ? { operationId: row.event.payment.operationId, tenantId: delivery.tenantId } : undefined;
}

import type { Prisma } from '#prisma';

export interface Whose {
  readonly operationId: string;
  readonly tenantId: string;
}

/** Whose message a row is, for the log: every line about a payment names its operation and its tenant. */
export async function whoseEmail(db: Prisma.TransactionClient, id: string): Promise<Whose | undefined> {
  const email = await db.email.findUnique({ where: { id }, select: { tenantId: true, dedupeKey: true } });
  const [kind, sourceId] = email?.dedupeKey.split(':') ?? [];
  if (!email || !sourceId) return undefined;
  const payment =
    kind === 'refund'
      ? (await db.refund.findUnique({ where: { id: sourceId }, select: { payment: true } }))?.payment
      : await db.payment.findUnique({ where: { id: sourceId } });
  return payment ? { operationId: payment.operationId, tenantId: email.tenantId } : undefined;
}

export async function whoseDelivery(db: Prisma.TransactionClient, id: string): Promise<Whose | undefined> {
  const row = await db.merchantWebhookDelivery.findUnique({
    where: { id },
    select: { tenantId: true, event: { select: { payment: { select: { operationId: true } } } } },
  });
  return row ? { operationId: row.event.payment.operationId, tenantId: row.tenantId } : undefined;
}

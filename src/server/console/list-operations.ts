import { type Status, statuses } from '#idempotency/index.ts';
import type { IdempotencyRecord, Payment, Prisma } from '#prisma';
import { money } from '../shop/shop.ts';

export { type Status, statuses };

type Db = Prisma.TransactionClient;

/** What an operator sees of an operation. The key is shortened: it is the client's secret name for the attempt. */
export async function listOperations(db: Db, tenantId: string, filter: { status?: Status; limit: number }) {
  const records = await db.idempotencyRecord.findMany({
    where: { tenantId, ...(filter.status && { status: filter.status }) },
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    take: filter.limit,
  });
  const payments = await db.payment.findMany({ where: { operationId: { in: records.map(({ id }) => id) } } });
  const paymentOf = new Map(payments.map((payment) => [payment.operationId, payment]));
  return records.map((record) => operationView(record, paymentOf.get(record.id)));
}

export function operationView(record: IdempotencyRecord, payment: Payment | undefined) {
  return {
    id: record.id,
    operation: record.operation,
    key: shortened(record.key),
    status: record.status as Status,
    attempt: record.attempt,
    recoveryPoint: record.recoveryPoint,
    errorCode: record.lastErrorCode,
    escalated: record.escalatedAt !== null,
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    payment: payment
      ? {
          id: payment.id,
          reference: payment.reference,
          amount: money(payment.amountMinor, payment.currency),
          status: payment.status,
          intentId: payment.providerIntentId,
        }
      : null,
  };
}

export async function countOperations(db: Db, tenantId: string) {
  const rows = await db.idempotencyRecord.groupBy({ by: ['status'], where: { tenantId }, _count: true });
  return Object.fromEntries(rows.map((row) => [row.status, row._count])) as Partial<Record<Status, number>>;
}

function shortened(key: string): string {
  return `${key.slice(0, 8)}…`;
}

import { type Status, statuses } from '#idempotency/index.ts';
import type { IdempotencyRecord, Payment, Prisma } from '#prisma';
import { money } from './shop/shop.ts';

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

function operationView(record: IdempotencyRecord, payment: Payment | undefined) {
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

export async function findOperation(db: Db, tenantId: string, id: string) {
  const record = await db.idempotencyRecord.findFirst({ where: { id, tenantId } });
  if (!record) return undefined;
  const [events, payment] = await Promise.all([
    db.idempotencyEvent.findMany({ where: { recordId: id }, orderBy: { id: 'asc' } }),
    db.payment.findFirst({ where: { operationId: id, tenantId } }),
  ]);
  return {
    ...operationView(record, payment ?? undefined),
    events: events.map((event) => ({
      id: String(event.id),
      from: event.fromStatus as Status | null,
      to: event.toStatus as Status,
      recoveryPoint: event.recoveryPoint,
      attempt: event.attempt,
      actor: event.actor,
      cause: event.cause,
      evidence: event.evidence,
      at: event.at.toISOString(),
    })),
  };
}

/**
 * The webhook inbox as a tenant may see it: its own events, and those that are about nothing of anybody's here. What
 * is in an event stays where it is.
 */
export async function listProviderEvents(db: Db, tenantId: string, id?: string) {
  const rows = await db.$queryRaw<
    {
      id: string;
      event_id: string;
      type: string;
      status: string;
      outcome: string | null;
      operation_id: string | null;
      received_at: Date;
    }[]
  >`
    SELECT e.id, e.event_id, e.type, e.status, e.outcome, e.operation_id, e.received_at
    FROM provider_event e LEFT JOIN idempotency_record r ON r.id = e.operation_id
    WHERE (r.tenant_id = ${tenantId} OR e.operation_id IS NULL) AND (${id ?? null}::uuid IS NULL OR e.id = ${id ?? null}::uuid)
    ORDER BY e.received_at DESC LIMIT 100`;
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    type: row.type,
    status: row.status,
    outcome: row.outcome,
    operationId: row.operation_id,
    receivedAt: row.received_at.toISOString(),
  }));
}

/** Newest first; the decided ones stay visible. */
export async function listLateTruths(db: Db, tenantId: string) {
  const rows = await db.lateTruth.findMany({
    where: { tenantId },
    include: { payment: true },
    orderBy: { foundAt: 'desc' },
    take: 100,
  });
  return rows.map((row) => ({
    id: row.id,
    reason: row.reason,
    status: row.status,
    intentId: row.intentId,
    foundAt: row.foundAt.toISOString(),
    decidedAt: row.decidedAt?.toISOString() ?? null,
    operationId: row.payment.operationId,
    reference: row.payment.reference,
    amount: money(row.payment.amountMinor, row.payment.currency),
  }));
}

function shortened(key: string): string {
  return `${key.slice(0, 8)}…`;
}

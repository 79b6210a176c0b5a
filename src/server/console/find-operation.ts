import type { Status } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { operationView } from './list-operations.ts';

export async function findOperation(db: Prisma.TransactionClient, tenantId: string, id: string) {
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

import { type IdempotencyStore, operationRefOf } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { laneOperation } from './play-lane.ts';

type Db = Prisma.TransactionClient;

/** The life of one key of the lab's tenant. Undefined: the lab has no such key; other tenants' keys are not read. */
export async function xRay(
  { db, store }: { readonly db: Db; readonly store: IdempotencyStore<Db> },
  tenantId: string,
  key: string,
) {
  const ref = operationRefOf({ tenantId, operation: laneOperation, key });
  const record = await store.findById(ref);
  if (!record) return undefined;
  const [misuses, events, [times]] = await Promise.all([
    store.listMisuses(ref),
    db.idempotencyEvent.findMany({ where: { tenantId, recordId: ref.id }, orderBy: { id: 'asc' } }),
    db.$queryRaw<{ lease_until: Date | null; expires_at: Date | null; delete_at: Date | null }[]>`
      SELECT lease_until, expires_at, delete_at FROM operation
      WHERE tenant_id = ${tenantId} AND id = ${ref.id}::uuid`,
  ]);
  return {
    key,
    operationId: record.id,
    status: record.status,
    recoveryPoint: record.recoveryPoint,
    fingerprint: record.fingerprint,
    fingerprintVersion: record.fingerprintVersion,
    attempt: record.attempt,
    createdAt: record.createdAt.toISOString(),
    leaseUntil: times?.lease_until?.toISOString() ?? null,
    expiresAt: times?.expires_at?.toISOString() ?? null,
    deleteAt: times?.delete_at?.toISOString() ?? null,
    misuses: misuses.map(({ kind, fields, times }) => ({ kind, fields, times })),
    events: events.map((event) => ({
      id: String(event.id),
      at: event.at.toISOString(),
      from: event.fromStatus,
      to: event.toStatus,
      recoveryPoint: event.recoveryPoint,
      attempt: event.attempt,
      actor: event.actor,
      cause: event.cause,
    })),
  };
}

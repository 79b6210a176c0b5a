import type { OperationDefinition } from './operation.ts';
import type { IdempotencyStore } from './ports.ts';
import type { OperationRecord } from './record.ts';

/**
 * Nobody executes because a lease ran out. If the recovery point proves that nothing was sent the key is released;
 * otherwise the outcome is unknown and reconciliation is due. Atomic, so any number of doubters is harmless.
 */
export async function expireLease<Tx>(
  store: IdempotencyStore<Tx>,
  operation: OperationDefinition<Tx>,
  record: OperationRecord,
  actor: string,
): Promise<OperationRecord | undefined> {
  const step = {
    id: record.id,
    when: { status: ['in_progress'], attempt: record.attempt, leaseExpired: true },
    because: { actor, cause: 'lease_expired', evidence: { recoveryPoint: record.recoveryPoint } },
    errorCode: 'lease_expired',
  } as const;
  if (record.effectSent) return store.move({ ...step, to: 'unknown', reconcileInMs: 0 });
  const released = operation.onReleased;
  return store.move(
    { ...step, to: 'failed_retryable', effectSent: false, retention: operation.retention },
    released && ((tx) => released(tx, record)),
  );
}

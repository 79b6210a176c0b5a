import type { OperationDefinition } from './operation.ts';
import type { IdempotencyStore } from './ports.ts';
import type { OperationRecord } from './record.ts';

/**
 * An expired lease never lets another caller execute. If the recovery point proves that nothing was sent the key is
 * released; otherwise the outcome is unknown and reconciliation is due. One conditional move, so concurrent callers are harmless.
 */
export async function expireLease<Tx>(
  store: IdempotencyStore<Tx>,
  operation: OperationDefinition<Tx>,
  record: OperationRecord,
  actor: string,
): Promise<OperationRecord | undefined> {
  const step = {
    record,
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

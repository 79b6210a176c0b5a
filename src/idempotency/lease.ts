import type { OperationDefinition } from './operation.ts';
import type { IdempotencyStore } from './ports.ts';
import type { OperationRecord } from './record.ts';

/**
 * An expired lease never lets another caller execute. If the recovery point proves that nothing was sent, the key is
 * released; otherwise the outcome is unknown, and a check is due at once. The transition is conditional on the expired
 * lease, so of several concurrent callers one succeeds.
 */
export async function expireLease<Tx>(
  store: IdempotencyStore<Tx>,
  operation: OperationDefinition<Tx>,
  record: OperationRecord,
  actor: string,
): Promise<OperationRecord | undefined> {
  const change = {
    record,
    when: { status: ['in_progress'], attempt: record.attempt, leaseExpired: true },
    reason: { actor, cause: 'lease_expired', evidence: { recoveryPoint: record.recoveryPoint } },
    errorCode: 'lease_expired',
  } as const;
  const { onReleased } = operation;
  const changed = record.effectSent
    ? await store.transition({ ...change, to: 'unknown', checkInMs: 0 })
    : await store.transition(
        { ...change, to: 'failed_retryable', effectSent: false, retention: operation.retention },
        onReleased && ((tx) => onReleased(tx, record)),
      );
  return changed ? store.findById(record) : undefined;
}

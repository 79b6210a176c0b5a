import type { CheckQueue, Engine, OperationDefinition, OperationRecord } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { ReconcileEvent } from './reconcile.ts';

type Tx = Prisma.TransactionClient;

/**
 * A read of an operation's status expedites it. An expired lease is expired at once, and an unknown outcome is checked now,
 * unless it was checked just before. The reader does not wait for the check: it costs one conditional update. An escalated
 * operation stays with the operators.
 *
 * Returns the record as it is now.
 */
export function createStatusReads(parts: {
  readonly queue: Pick<CheckQueue, 'expedite'>;
  readonly engine: Pick<Engine<Tx>, 'expireLease'>;
  readonly operations: readonly OperationDefinition<Tx>[];
  readonly holdMs: number;
  readonly observe?: (event: ReconcileEvent) => void;
}): (record: OperationRecord) => Promise<OperationRecord> {
  const definitions = new Map(parts.operations.map((operation) => [operation.name, operation]));

  return async (record) => {
    const { id: operationId, operation, tenantId } = record;
    const definition = definitions.get(operation);
    if (record.status === 'in_progress' && record.leaseExpired && definition) {
      const expired = await parts.engine.expireLease(definition, record, 'reader');
      if (expired)
        parts.observe?.({ kind: 'lease_expired', operation, operationId, tenantId, to: expired.status });
      return expired ?? record;
    }
    // Within the hold a check may be under way, and its result is coming anyway.
    if (record.status === 'unknown') await parts.queue.expedite(record, parts.holdMs);
    return record;
  };
}

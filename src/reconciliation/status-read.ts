import type { DueQueue, Engine, OperationDefinition, OperationRecord } from '#idempotency/index.ts';
import type { Tx } from './investigate.ts';
import type { ReconcileEvent } from './reconcile.ts';

/**
 * Somebody read the status of an operation: they would like to know. An owner that was silent past its lease is doubted
 * there and then, and what is unknown has its next look made now, if nobody looked just before. The reader does not wait
 * for that look; one conditional update is all it costs. What was handed to a person stays with the person.
 *
 * Returns the record as it is now.
 */
export function createStatusReads(parts: {
  readonly queue: Pick<DueQueue, 'hasten'>;
  readonly engine: Pick<Engine<Tx>, 'doubt'>;
  readonly operations: readonly OperationDefinition<Tx>[];
  readonly holdMs: number;
  readonly observe?: (event: ReconcileEvent) => void;
}): (record: OperationRecord) => Promise<OperationRecord> {
  const definitions = new Map(parts.operations.map((operation) => [operation.name, operation]));

  return async (record) => {
    const { id: operationId, operation, tenantId } = record;
    const definition = definitions.get(operation);
    if (record.status === 'in_progress' && record.leaseExpired && definition) {
      const moved = await parts.engine.doubt(definition, record, 'reader');
      if (moved) parts.observe?.({ kind: 'doubted', operation, operationId, tenantId, to: moved.status });
      return moved ?? record;
    }
    // As long as a look may be under way: then the answer is coming anyway.
    if (record.status === 'unknown') await parts.queue.hasten(operationId, parts.holdMs);
    return record;
  };
}

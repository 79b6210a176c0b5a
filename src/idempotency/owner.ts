import type { EngineOptions } from './engine.ts';
import {
  type Execution,
  isEffectSent,
  type OperationDefinition,
  ResolvedElsewhere,
  Superseded,
} from './operation.ts';
import { operationTopic, type Transition } from './ports.ts';
import type { OperationRecord, Status } from './record.ts';

/** The request that executes one attempt. Every write is conditional on the attempt, so a superseded owner changes nothing. */
export interface Owner<Tx> extends Execution<Tx> {
  readonly record: OperationRecord;
  recoveryPoint: string;
  effectSent: boolean;
  /** Throws `Superseded` if the record is at another attempt, or in none of the statuses. */
  transition(
    from: readonly Status[],
    writes: ((tx: Tx) => Promise<void>) | undefined,
    change: Omit<Transition, 'record' | 'when'>,
  ): Promise<void>;
}

export function createOwner<Tx>(
  options: EngineOptions<Tx>,
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
): Owner<Tx> {
  const { store, signal } = options;
  const { id, attempt } = granted;
  const leaseMs = operation.leaseMs ?? options.leaseMs;
  const owner: Owner<Tx> = {
    record: granted,
    ref: { tenantId: granted.tenantId, id },
    operationId: id,
    tenantId: granted.tenantId,
    attempt,
    recoveryPoint: granted.recoveryPoint,
    effectSent: granted.effectSent,
    async transition(from, writes, change) {
      const when = { status: from, attempt };
      const updated = await store.transition({ record: granted, when, ...change }, writes);
      if (!updated) throw new Superseded(id);
    },
    async phase(recoveryPoint, writes) {
      const effectSent = isEffectSent(operation, recoveryPoint);
      await owner.transition(['in_progress'], writes, {
        to: 'in_progress',
        recoveryPoint,
        effectSent,
        leaseMs,
        reason: { actor: 'owner', cause: 'phase' },
      });
      owner.recoveryPoint = recoveryPoint;
      owner.effectSent = effectSent;
    },
    async extendLease() {
      await owner.transition(['in_progress'], undefined, {
        to: 'in_progress',
        leaseMs,
        reason: { actor: 'owner', cause: 'lease_extended' },
      });
    },
    async unlessResolved(work) {
      // The work may fail while the signal is still connecting. Without this, Node would report an unhandled rejection
      // and end the process; the handler gets the error from the race below.
      work.catch(() => undefined);
      const workEnded = new AbortController();
      try {
        return await Promise.race([work, rejectWhenResolved(workEnded.signal)]);
      } finally {
        workEnded.abort();
      }
    },
  };
  return owner;

  /**
   * Rejects with `ResolvedElsewhere`, or never ends. A record that was only marked unknown can still be resolved by this
   * owner. It watches anew after each wake-up, because a lost connection also wakes it, and the old watch would receive no
   * more notifications.
   */
  async function rejectWhenResolved(workEnded: AbortSignal): Promise<never> {
    for (;;) {
      const watch = await signal?.watch(operationTopic(granted)).catch(() => undefined);
      if (!watch) break;
      workEnded.addEventListener('abort', watch.close, { once: true });
      try {
        if (workEnded.aborted) break;
        if (await isResolvedElsewhere()) throw new ResolvedElsewhere(id);
        if (workEnded.aborted) break;
        await watch.changed(leaseMs);
      } finally {
        workEnded.removeEventListener('abort', watch.close);
        watch.close();
      }
    }
    return new Promise(() => undefined);
  }

  /** If the store cannot be read now, the owner goes on waiting for the provider. */
  async function isResolvedElsewhere(): Promise<boolean> {
    const record = await store.findById(granted).catch(() => granted);
    return record?.attempt !== attempt || !['in_progress', 'unknown'].includes(record.status);
  }
}

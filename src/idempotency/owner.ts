import type { EngineOptions } from './engine.ts';
import {
  type Execution,
  isEffectSent,
  type OperationDefinition,
  ResolvedElsewhere,
  Superseded,
} from './operation.ts';
import { type ChangeWatch, operationTopic, type Transition } from './ports.ts';
import type { OperationRecord, Status } from './record.ts';
import type { DomainWrites } from './row-statement.ts';

/** The request that executes one attempt. Every write is conditional on the attempt, so a superseded owner changes nothing. */
export interface Owner<Tx> extends Execution<Tx> {
  readonly record: OperationRecord;
  recoveryPoint: string;
  effectSent: boolean;
  /** The attempt is over. */
  stopWatching(): void;
  /** Throws `Superseded` if the record is at another attempt, or in none of the statuses. */
  transition(
    from: readonly Status[],
    writes: DomainWrites<Tx> | undefined,
    change: Omit<Transition, 'record' | 'when'>,
  ): Promise<void>;
}

/** A wait for another writer, beside work that may end first. */
interface Wait {
  over: boolean;
  watch: ChangeWatch | undefined;
}

export function createOwner<Tx>(
  options: EngineOptions<Tx>,
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
  rowResult: unknown,
): Owner<Tx> {
  const { store, signal } = options;
  const { id, attempt } = granted;
  const leaseMs = operation.leaseMs ?? options.leaseMs;
  /** Opened before the commit of the last phase, when the record was in progress: it misses no change after that. */
  let phaseWatch: ChangeWatch | undefined;
  const owner: Owner<Tx> = {
    record: granted,
    ref: { tenantId: granted.tenantId, id },
    operationId: id,
    tenantId: granted.tenantId,
    attempt,
    recoveryPoint: granted.recoveryPoint,
    effectSent: granted.effectSent,
    rowResult,
    async transition(from, writes, change) {
      const when = { status: from, attempt };
      const changed = await store.transition({ record: granted, when, ...change }, writes);
      if (!changed) throw new Superseded(id);
    },
    async phase(recoveryPoint, writes) {
      const effectSent = isEffectSent(operation, recoveryPoint);
      phaseWatch?.close();
      phaseWatch = signal?.watchNow(operationTopic(granted));
      const sentAt = performance.now();
      await owner.transition(['in_progress'], writes, {
        to: 'in_progress',
        recoveryPoint,
        effectSent,
        leaseMs,
        reason: { actor: 'owner', cause: 'phase' },
      });
      owner.recoveryPoint = recoveryPoint;
      owner.effectSent = effectSent;
      // The process may have been frozen meanwhile, and its lease is over: another may be sending what it was about to send.
      // The clock of the process decides no ownership here, it only makes the owner give up.
      if (performance.now() - sentAt >= leaseMs) throw new Superseded(id);
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
      // Not an AbortController, which makes an exception with a stack for each payment.
      const wait: Wait = { over: false, watch: undefined };
      try {
        return await Promise.race([work, rejectWhenResolved(wait)]);
      } finally {
        wait.over = true;
        wait.watch?.close();
      }
    },
    stopWatching() {
      phaseWatch?.close();
    },
  };
  return owner;

  /**
   * Rejects with `ResolvedElsewhere`, or never ends. A record that was only marked unknown can still be resolved by this
   * owner. It watches anew after each wake-up, because a lost connection also wakes it, and the old watch would receive no
   * more notifications. The record is read only after a wake-up, if the watch was there before the phase was committed.
   */
  async function rejectWhenResolved(wait: Wait): Promise<never> {
    if (phaseWatch) await phaseWatch.changed(leaseMs).catch(() => undefined);
    if (wait.over) return new Promise(() => undefined);
    for (;;) {
      const watch = await signal?.watch(operationTopic(granted)).catch(() => undefined);
      if (!watch) break;
      wait.watch = watch;
      try {
        if (wait.over) break;
        if (await isResolvedElsewhere()) throw new ResolvedElsewhere(id);
        if (wait.over) break;
        await watch.changed(leaseMs);
      } finally {
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

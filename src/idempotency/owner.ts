import type { EngineParts } from './engine.ts';
import { type Execution, type OperationDefinition, ResolvedElsewhere, Superseded } from './operation.ts';
import { type Move, operationTopic } from './ports.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';

/** The executing side of one attempt. Every write is conditional on the attempt: a superseded owner changes nothing. */
export interface Owner<Tx> extends Execution<Tx> {
  readonly record: OperationRecord;
  recoveryPoint: string;
  effectSent: boolean;
  move(
    from: readonly Status[],
    writes: ((tx: Tx) => Promise<void>) | undefined,
    rest: Omit<Move, 'record' | 'when'>,
  ): Promise<void>;
}

export function createOwner<Tx>(
  parts: EngineParts<Tx>,
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
): Owner<Tx> {
  const { store, signal } = parts;
  const { id, attempt } = granted;
  const leaseMs = operation.leaseMs ?? parts.leaseMs;
  const owner: Owner<Tx> = {
    record: granted,
    ref: { tenantId: granted.tenantId, id },
    operationId: id,
    tenantId: granted.tenantId,
    attempt,
    recoveryPoint: granted.recoveryPoint,
    effectSent: granted.effectSent,
    async move(from, writes, rest) {
      const moved = await store.move({ record: granted, when: { status: from, attempt }, ...rest }, writes);
      if (!moved) throw new Superseded(id);
    },
    async phase(recoveryPoint, writes) {
      const effectSent = isSent(operation, recoveryPoint);
      await owner.move(['in_progress'], writes, {
        to: 'in_progress',
        recoveryPoint,
        effectSent,
        leaseMs,
        because: { actor: 'owner', cause: 'phase' },
      });
      owner.recoveryPoint = recoveryPoint;
      owner.effectSent = effectSent;
    },
    async extendLease() {
      await owner.move(['in_progress'], undefined, {
        to: 'in_progress',
        leaseMs,
        because: { actor: 'owner', cause: 'lease_extended' },
      });
    },
    async unlessResolved(work) {
      // Work may fail while the signal is still connecting. That rejection belongs to the handler, not to the process.
      work.catch(() => undefined);
      const over = new AbortController();
      try {
        return await Promise.race([work, resolvedElsewhere(over.signal)]);
      } finally {
        over.abort();
      }
    },
  };
  return owner;

  /**
   * Never resolves. A record that was only marked unknown can still be resolved by this owner. Watches anew after each
   * wake-up: the cause may have been a lost connection, and the old watch would receive no more notifications.
   */
  async function resolvedElsewhere(over: AbortSignal): Promise<never> {
    for (;;) {
      const watch = await signal?.watch(operationTopic(granted)).catch(() => undefined);
      if (!watch) break;
      over.addEventListener('abort', watch.close, { once: true });
      try {
        if (over.aborted) break;
        if (await isResolvedElsewhere()) throw new ResolvedElsewhere(id);
        if (over.aborted) break;
        await watch.changed(leaseMs);
      } finally {
        over.removeEventListener('abort', watch.close);
        watch.close();
      }
    }
    return new Promise(() => undefined);
  }

  /** A store that cannot be read now is no reason to stop waiting for the provider. */
  async function isResolvedElsewhere(): Promise<boolean> {
    const record = await store.findById(granted).catch(() => granted);
    return record?.attempt !== attempt || !['in_progress', 'unknown'].includes(record.status);
  }
}

/** `claimed` counts as sent unless it is declared, the safe reading. Any other undeclared point is a bug. */
export function isSent<Tx>(operation: OperationDefinition<Tx>, recoveryPoint: string): boolean {
  const sent = operation.recoveryPoints?.[recoveryPoint];
  if (sent === undefined && recoveryPoint !== firstRecoveryPoint) {
    throw new Error(`Operation ${operation.name} declares no recovery point "${recoveryPoint}".`);
  }
  return sent !== 'unsent';
}

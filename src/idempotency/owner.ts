import type { EngineParts } from './engine.ts';
import { type Execution, type OperationDefinition, SettledElsewhere, Superseded } from './operation.ts';
import type { Move } from './ports.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';

/** The executing side of one attempt. Every write is conditional on the attempt: a superseded owner changes nothing. */
export interface Owner<Tx> extends Execution<Tx> {
  readonly record: OperationRecord;
  recoveryPoint: string;
  effectSent: boolean;
  move(
    from: readonly Status[],
    writes: ((tx: Tx) => Promise<void>) | undefined,
    rest: Omit<Move, 'id' | 'when'>,
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
    operationId: id,
    tenantId: granted.tenantId,
    attempt,
    recoveryPoint: granted.recoveryPoint,
    effectSent: granted.effectSent,
    async move(from, writes, rest) {
      const moved = await store.move({ id, when: { status: from, attempt }, ...rest }, writes);
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
    async unlessSettled(work) {
      // Work that fails while the line is still being opened is for the handler to hear of, not for the process.
      work.catch(() => undefined);
      const over = new AbortController();
      try {
        return await Promise.race([work, settledElsewhere(over.signal)]);
      } finally {
        over.abort();
      }
    },
  };
  return owner;

  /**
   * Never resolves. A record that others merely began to doubt is still this owner's to settle. Watches anew after each
   * wake-up: it may have been the line that was lost, and a watch that is not renewed would be deaf.
   */
  async function settledElsewhere(over: AbortSignal): Promise<never> {
    for (;;) {
      const watch = await signal?.watch(id).catch(() => undefined);
      if (!watch) break;
      over.addEventListener('abort', watch.close, { once: true });
      try {
        if (over.aborted) break;
        if (await isSettledElsewhere()) throw new SettledElsewhere(id);
        if (over.aborted) break;
        await watch.changed(leaseMs);
      } finally {
        over.removeEventListener('abort', watch.close);
        watch.close();
      }
    }
    return new Promise(() => undefined);
  }

  /** A store that does not answer now is no reason to stop waiting for the provider. */
  async function isSettledElsewhere(): Promise<boolean> {
    const record = await store.findById(id).catch(() => granted);
    return record?.attempt !== attempt || !['in_progress', 'unknown'].includes(record.status);
  }
}

/** What is not declared counts as sent: the pessimist's reading. A point nobody declared is a bug. */
export function isSent<Tx>(operation: OperationDefinition<Tx>, recoveryPoint: string): boolean {
  const sent = operation.recoveryPoints?.[recoveryPoint];
  if (sent === undefined && recoveryPoint !== firstRecoveryPoint) {
    throw new Error(`Operation ${operation.name} declares no recovery point "${recoveryPoint}".`);
  }
  return sent !== 'unsent';
}

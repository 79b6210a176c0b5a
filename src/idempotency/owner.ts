import type { EngineParts } from './engine.ts';
import { type Execution, type OperationDefinition, SettledElsewhere, Superseded } from './operation.ts';
import type { Move, SettlementWatch } from './ports.ts';
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
      const watch = await signal?.watch(id).catch(() => undefined);
      if (!watch) return work;
      try {
        return await Promise.race([work, settledElsewhere(watch)]);
      } finally {
        watch.close();
      }
    },
  };
  return owner;

  /** Never resolves. A record that others merely began to doubt is still this owner's to settle. */
  async function settledElsewhere(watch: SettlementWatch): Promise<never> {
    for (;;) {
      if (await isSettledElsewhere()) throw new SettledElsewhere(id);
      await watch.changed(leaseMs);
    }
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

import { type Execution, type OperationDefinition, Superseded } from './operation.ts';
import type { IdempotencyStore, Move } from './ports.ts';
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
  store: IdempotencyStore<Tx>,
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
  leaseMs: number,
): Owner<Tx> {
  const { id, attempt } = granted;
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
  };
  return owner;
}

/** What is not declared counts as sent: the pessimist's reading. A point nobody declared is a bug. */
export function isSent<Tx>(operation: OperationDefinition<Tx>, recoveryPoint: string): boolean {
  const sent = operation.recoveryPoints?.[recoveryPoint];
  if (sent === undefined && recoveryPoint !== firstRecoveryPoint) {
    throw new Error(`Operation ${operation.name} declares no recovery point "${recoveryPoint}".`);
  }
  return sent !== 'unsent';
}

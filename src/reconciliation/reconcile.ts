import type { Engine, IdempotencyStore, OperationRecord } from '#idempotency/index.ts';
import type { Finding, Investigator, Tx } from './investigate.ts';

/** What a look at the provider came to, in a form that can be shown to whoever asked for it. */
export type Reconciled =
  | { readonly kind: 'settled'; readonly cause: string }
  | { readonly kind: 'released'; readonly cause: string }
  | { readonly kind: 'still_unknown'; readonly code: string; readonly noWord?: true }
  /** It is not open to reconciliation, or somebody else settled it meanwhile; nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' };

export type ReconcileEvent =
  /** An owner was silent past its lease, and the one who asked noticed first. */
  | {
      readonly kind: 'doubted';
      readonly operation: string;
      readonly operationId: string;
      readonly tenantId: string;
      readonly to: OperationRecord['status'];
    }
  | {
      readonly kind: 'resolved';
      readonly operation: string;
      readonly operationId: string;
      readonly tenantId: string;
      readonly verdict: 'settled' | 'released';
      readonly source: string;
      /** By the database's clock; undefined when the truth arrived before anybody doubted. */
      readonly unknownForMs: number | undefined;
    }
  | {
      readonly kind: 'unresolved';
      readonly operation: string;
      readonly operationId: string;
      readonly tenantId: string;
      readonly source: string;
      readonly code: string;
    };

/** What a person adds to a look: why, kept with the verdict, and what else is true from the same commit on. */
export interface Ruling {
  /** Cancels also what still waits for somebody. */
  readonly withdraw?: boolean;
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** In the transaction of the verdict, if there is one. */
  readonly writes?: (tx: Tx, told: Reconciled) => Promise<void>;
}

export interface Reconciler {
  /** `actor` is who asks, as `kind` or `kind:id`: poller, webhook:evt_…, operator:… */
  reconcile(operationId: string, actor: string, ruling?: Ruling): Promise<Reconciled>;
}

/**
 * One path for all who bring or seek evidence. It reads the record, asks the provider without holding any lock or
 * transaction, decides, and writes with a condition on what it read: of two reconcilers, or a reconciler and a late
 * owner, one writes and the other finds that there is nothing left to do.
 *
 * An operation that is still in progress may be asked about too, because a webhook can know before the owner does.
 * But nothing of it is fenced or released while its owner is alive.
 */
export function createReconciler(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly investigators: readonly Investigator[];
  readonly observe?: (event: ReconcileEvent) => void;
}): Reconciler {
  const { store, engine } = parts;
  const byOperation = new Map(parts.investigators.map((one) => [one.operation.name, one]));

  return {
    async reconcile(operationId, actor, ruling) {
      const found = await store.findById(operationId);
      const investigator = found && byOperation.get(found.operation);
      if (!investigator) return found ? stillUnknown('no_investigator') : nothingToDo(found);
      const record = await doubted(found, investigator);
      if (record?.status !== 'unknown' && record?.status !== 'in_progress') return nothingToDo(record);

      const finding = await investigator.investigate(record, { withdraw: ruling?.withdraw ?? false });
      if (finding.kind === 'wait') return tell(record, actor, { ...finding, kind: 'still_unknown' });
      const { verdict } = finding;
      const told = toldOf(verdict);
      const moved = await engine.settle(investigator.operation, record, ruled(verdict, told, ruling), actor);
      if (!moved) return nothingToDo(await store.findById(operationId));
      const unknownForMs =
        record.status === 'unknown' ? moved.updatedAt.getTime() - record.updatedAt.getTime() : undefined;
      return tell(record, actor, told, unknownForMs);
    },
  };

  /** An owner that is silent past its lease is doubted first; then there is something to reconcile. */
  async function doubted(
    record: OperationRecord,
    { operation }: Investigator,
  ): Promise<OperationRecord | undefined> {
    if (record.status !== 'in_progress' || !record.leaseExpired) return record;
    const moved = await engine.doubt(operation, record, 'reconciliation');
    if (!moved) return store.findById(record.id);
    const { operation: name, id: operationId, tenantId } = record;
    parts.observe?.({ kind: 'doubted', operation: name, operationId, tenantId, to: moved.status });
    return moved;
  }

  function tell(record: OperationRecord, actor: string, told: Reconciled, unknownForMs?: number): Reconciled {
    const about = {
      operation: record.operation,
      operationId: record.id,
      tenantId: record.tenantId,
      source: actor.split(':')[0] ?? actor,
    };
    if (told.kind === 'still_unknown') parts.observe?.({ kind: 'unresolved', ...about, code: told.code });
    else if (told.kind !== 'nothing_to_do') {
      parts.observe?.({ kind: 'resolved', ...about, verdict: told.kind, unknownForMs });
    }
    return told;
  }
}

type Settling = Extract<Finding, { kind: 'verdict' }>['verdict'];

function toldOf(verdict: Settling): Reconciled {
  return verdict.kind === 'completed'
    ? { kind: 'settled', cause: verdict.cause }
    : { kind: 'released', cause: verdict.problem.spec.code };
}

function ruled(verdict: Settling, told: Reconciled, ruling: Ruling | undefined): Settling {
  if (!ruling) return verdict;
  return {
    ...verdict,
    evidence: { ...verdict.evidence, ...ruling.evidence },
    writes: async (tx) => {
      await verdict.writes?.(tx);
      await ruling.writes?.(tx, told);
    },
  };
}

function stillUnknown(code: string): Reconciled {
  return { kind: 'still_unknown', code };
}

function nothingToDo(record: OperationRecord | undefined): Reconciled {
  return { kind: 'nothing_to_do', status: record?.status ?? 'missing' };
}

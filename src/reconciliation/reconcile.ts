import type { Engine, IdempotencyStore, OperationRecord } from '#idempotency/index.ts';
import type { Investigator, Tx } from './investigate.ts';

/** What a look at the provider came to, in a form that can be shown to whoever asked for it. */
export type Reconciled =
  | { readonly kind: 'settled'; readonly cause: string }
  | { readonly kind: 'released'; readonly cause: string }
  | { readonly kind: 'still_unknown'; readonly code: string }
  /** It is not unknown, or somebody else settled it meanwhile; nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' };

export interface Reconciler {
  reconcile(operationId: string, actor: string): Promise<Reconciled>;
}

/**
 * One path for all who bring or seek evidence. It reads the record, asks the provider without holding any lock or
 * transaction, decides, and writes with a condition on what it read: of two reconcilers, or a reconciler and a late
 * owner, one writes and the other finds that there is nothing left to do.
 */
export function createReconciler(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly investigators: readonly Investigator[];
}): Reconciler {
  const { store, engine } = parts;
  const byOperation = new Map(parts.investigators.map((one) => [one.operation.name, one]));

  return {
    async reconcile(operationId, actor) {
      const record = await store.findById(operationId);
      if (record?.status !== 'unknown') return nothingToDo(record);
      const investigator = byOperation.get(record.operation);
      if (!investigator) return { kind: 'still_unknown', code: 'no_investigator' };

      const finding = await investigator.investigate(record);
      if (finding.kind === 'wait') return { kind: 'still_unknown', code: finding.code };
      const { verdict } = finding;
      const moved = await engine.settle(investigator.operation, record, verdict, actor);
      if (!moved) return nothingToDo(await store.findById(operationId));
      return verdict.kind === 'completed'
        ? { kind: 'settled', cause: verdict.cause }
        : { kind: 'released', cause: verdict.problem.spec.code };
    },
  };
}

function nothingToDo(record: OperationRecord | undefined): Reconciled {
  return { kind: 'nothing_to_do', status: record?.status ?? 'missing' };
}

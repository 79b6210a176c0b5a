import type { Engine, IdempotencyStore, OperationRecord, OperationRef } from '#idempotency/index.ts';
import type { Finding, Investigator } from '#payments/index.ts';
import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

/** The result of a reconciliation, in a form that can be shown. */
export type Reconciled =
  | { readonly kind: 'completed'; readonly cause: string }
  | { readonly kind: 'released'; readonly cause: string }
  | { readonly kind: 'still_unknown'; readonly code: string; readonly noEvidence?: true }
  /** It was resolved before, or meanwhile; nothing was written. */
  | { readonly kind: 'nothing_to_do'; readonly status: OperationRecord['status'] | 'missing' };

export type ReconcileEvent =
  /** The lease had expired, and this reconciliation changed the record's status. */
  | {
      readonly kind: 'lease_expired';
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
      readonly verdict: 'completed' | 'released';
      readonly source: string;
      /** By the database's clock; undefined when the evidence arrived before the record was unknown. */
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

/** What an operator adds: the reason, kept with the verdict, and writes of the same commit. */
export interface ReconcileOptions {
  /** Cancels also an intent that waits for the shopper. */
  readonly cancelWaiting?: boolean;
  readonly evidence?: Readonly<Record<string, unknown>>;
  /** In the transaction of the verdict, if there is one. */
  readonly writes?: (tx: Tx, result: Reconciled) => Promise<void>;
}

export interface Reconciler {
  /** `actor` is who asks, as `kind` or `kind:id`: poller, return, webhook:evt_…, operator:… */
  reconcile(operation: OperationRef, actor: string, options?: ReconcileOptions): Promise<Reconciled>;
}

/**
 * One path for every source of evidence. It reads the record, asks the provider without holding any lock or
 * transaction, decides, and writes with a condition on what it read: of two reconcilers, or a reconciler and a late
 * owner, one writes and the other finds that there is nothing left to do.
 *
 * An operation that is still in progress may be asked about too, because a webhook can know before the owner does.
 * But nothing of it is cancelled or released while its owner is alive.
 */
export function createReconciler(parts: {
  readonly store: IdempotencyStore<Tx>;
  readonly engine: Engine<Tx>;
  readonly investigators: readonly Investigator[];
  readonly observe?: (event: ReconcileEvent) => void;
}): Reconciler {
  const { store, engine } = parts;
  const byOperation = new Map(parts.investigators.map((one) => [one.definition.name, one]));

  return {
    async reconcile(ref, actor, options) {
      const found = await store.findById(ref);
      const investigator = found && byOperation.get(found.operation);
      if (!investigator) return found ? stillUnknown('no_investigator') : nothingToDo(found);
      const record = await expireLeaseIfDue(found, investigator);
      if (!isUnresolved(record)) return nothingToDo(record);

      const finding = await investigator.investigate(record, {
        cancelWaiting: options?.cancelWaiting ?? false,
      });
      if (finding.kind === 'wait') {
        // Another reconciler, or the owner, may have resolved it while the provider was asked.
        const current = await store.findById(ref);
        if (current?.attempt !== record.attempt || !isUnresolved(current)) return nothingToDo(current);
        const { writes, ...wait } = finding;
        await writes?.();
        return report(record, actor, { ...wait, kind: 'still_unknown' });
      }
      const { verdict } = finding;
      const result = resultOf(verdict);
      const resolved = await engine.resolve(
        investigator.definition,
        record,
        { ...verdict, evidence: { ...verdict.evidence, ...options?.evidence } },
        actor,
        options?.writes && ((tx) => options.writes?.(tx, result) ?? Promise.resolve()),
      );
      if (!resolved) return nothingToDo(await store.findById(ref));
      const unknownForMs =
        record.status === 'unknown' ? resolved.updatedAt.getTime() - record.updatedAt.getTime() : undefined;
      return report(record, actor, result, unknownForMs);
    },
  };

  /** An expired lease makes the outcome unknown first; then there is something to reconcile. */
  async function expireLeaseIfDue(
    record: OperationRecord,
    { definition }: Investigator,
  ): Promise<OperationRecord | undefined> {
    if (record.status !== 'in_progress' || !record.leaseExpired) return record;
    const expired = await engine.expireLease(definition, record, 'reconciliation');
    if (!expired) return store.findById(record);
    const { operation: name, id: operationId, tenantId } = record;
    parts.observe?.({ kind: 'lease_expired', operation: name, operationId, tenantId, to: expired.status });
    return expired;
  }

  function report(
    record: OperationRecord,
    actor: string,
    result: Reconciled,
    unknownForMs?: number,
  ): Reconciled {
    const about = {
      operation: record.operation,
      operationId: record.id,
      tenantId: record.tenantId,
      source: actor.split(':')[0] ?? actor,
    };
    if (result.kind === 'still_unknown') {
      parts.observe?.({ kind: 'unresolved', ...about, code: result.code });
    } else if (result.kind !== 'nothing_to_do') {
      parts.observe?.({ kind: 'resolved', ...about, verdict: result.kind, unknownForMs });
    }
    return result;
  }
}

type FinalVerdict = Extract<Finding, { kind: 'verdict' }>['verdict'];

function resultOf(verdict: FinalVerdict): Reconciled {
  return verdict.kind === 'completed'
    ? { kind: 'completed', cause: verdict.cause }
    : { kind: 'released', cause: verdict.problem.spec.code };
}

function isUnresolved(record: OperationRecord | undefined): record is OperationRecord {
  return record?.status === 'unknown' || record?.status === 'in_progress';
}

function stillUnknown(code: string): Reconciled {
  return { kind: 'still_unknown', code };
}

function nothingToDo(record: OperationRecord | undefined): Reconciled {
  return { kind: 'nothing_to_do', status: record?.status ?? 'missing' };
}

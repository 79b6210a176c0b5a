import type { EngineParts } from './engine.ts';
import {
  type Handler,
  type OperationDefinition,
  ResolvedElsewhere,
  Superseded,
  type Verdict,
} from './operation.ts';
import { inProgress, type Outcome, refused, unknown } from './outcome.ts';
import { createOwner, type Owner } from './owner.ts';
import { type EngineObserver, StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';
import { resolutionOf } from './resolution.ts';
import type { ResponseCodec } from './response-codec.ts';

/** Runs the handler as the owner of one attempt, and writes down how it ended. */
export function createExecute<Tx>(
  parts: EngineParts<Tx> & { readonly codec: ResponseCodec<Tx>; readonly observe: EngineObserver },
): <T>(
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
  handler: Handler<T, Tx>,
) => Promise<Outcome> {
  const { store, codec, observe } = parts;

  return async function execute(operation, granted, handler) {
    const owner = createOwner(parts, operation, granted);
    try {
      const verdict = await runHandler(operation, owner, handler);
      return await resolve(operation, owner, verdict);
    } catch (error) {
      if (error instanceof Superseded) return superseded(operation, granted, error);
      const storeGone = error instanceof StoreUnavailable;
      if (!storeGone && !owner.effectSent) throw error;
      // The store went away under an executing owner, or refused its verdict (a deadlock, a trigger, a response that
      // cannot be sealed). An effect may have been sent, so the caller is not told that it failed: the lease expires and
      // reconciliation resolves the operation.
      observe({ kind: storeGone ? 'store_error' : 'handler_error', ...about(granted), error });
      if (owner.effectSent) return unknown(granted.id);
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
  };

  /** A handler that throws has given no verdict; the failure policy and the recovery point decide. */
  async function runHandler<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    handler: Handler<T, Tx>,
  ): Promise<Verdict<T, Tx>> {
    try {
      return await handler(owner);
    } catch (error) {
      if (error instanceof Superseded || error instanceof StoreUnavailable) throw error;
      observe({ kind: 'handler_error', ...about(owner.record), error });
      const at = { recoveryPoint: owner.recoveryPoint, effectSent: owner.effectSent };
      const reading = operation.failurePolicy?.(error, at) ?? (at.effectSent ? 'unknown' : 'retryable');
      if (reading === 'unknown') return { kind: 'unknown', code: 'handler_error' };
      const released = operation.onReleased;
      return {
        kind: 'failed_retryable',
        problem: { spec: idempotencyProblems.operation_failed },
        recoveryPoint: at.effectSent ? firstRecoveryPoint : at.recoveryPoint,
        ...(released && { writes: (tx: Tx) => released(tx, owner.record) }),
      };
    }
  }

  async function resolve<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: Verdict<T, Tx>,
  ): Promise<Outcome> {
    const { operationId } = owner;
    // A late owner of the current attempt may still resolve an operation that was marked unknown; it cannot mark it again.
    const from: Status[] = verdict.kind === 'unknown' ? ['in_progress'] : ['in_progress', 'unknown'];
    const move = resolutionOf(codec, operation, operationId, verdict, 'owner');
    await owner.move(from, verdict.writes, move).catch((error: unknown) => {
      // The operation was marked unknown already: no stale write was refused, there was nothing left to write.
      throw verdict.kind === 'unknown' && error instanceof Superseded
        ? new ResolvedElsewhere(operationId)
        : error;
    });
    observe({ kind: 'ended', ...about(owner.record), as: verdict.kind, cause: move.because.cause });
    switch (verdict.kind) {
      case 'completed': {
        const response = { status: verdict.status, body: JSON.stringify(verdict.body) };
        return { kind: 'completed', operationId, response, replayed: false };
      }
      case 'failed_retryable':
        return { kind: 'refused', problem: verdict.problem, operationId };
      case 'unknown':
        return unknown(operationId);
    }
  }

  /** The caller of a superseded owner gets what is stored by now. */
  async function superseded(
    operation: OperationDefinition<Tx>,
    granted: OperationRecord,
    error: Superseded,
  ): Promise<Outcome> {
    const operationId = granted.id;
    if (!(error instanceof ResolvedElsewhere)) observe({ kind: 'stale_write_refused', ...about(granted) });
    // If the store is unreachable now, the caller is told to come back with the same key.
    const record = await store.findById(granted).catch(() => undefined);
    const response = record?.status === 'completed' ? codec.open(operation, record) : undefined;
    if (response) return { kind: 'completed', operationId, response, replayed: true };
    return record?.status === 'unknown' ? unknown(operationId) : inProgress(operation, operationId);
  }
}

function about(record: OperationRecord) {
  return { operation: record.operation, tenantId: record.tenantId, operationId: record.id };
}

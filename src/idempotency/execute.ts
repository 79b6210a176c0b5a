import type { EngineOptions } from './engine.ts';
import { type EngineObserver, eventContextOf } from './events.ts';
import {
  type Handler,
  type OperationDefinition,
  ResolvedElsewhere,
  Superseded,
  type Verdict,
} from './operation.ts';
import { inProgress, type Outcome, refused, unknown } from './outcome.ts';
import { createOwner, type Owner } from './owner.ts';
import { StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';
import { resolutionOf, responseOf } from './resolution.ts';
import type { ResponseCodec } from './response-codec.ts';

/** Runs the handler as the owner of one attempt, and writes its verdict. */
export function createExecute<Tx>(
  options: EngineOptions<Tx> & { readonly codec: ResponseCodec<Tx>; readonly observe: EngineObserver },
): <T>(
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
  handler: Handler<T, Tx>,
) => Promise<Outcome> {
  const { store, codec, observe } = options;

  return async function execute(operation, granted, handler) {
    const owner = createOwner(options, operation, granted);
    try {
      const verdict = await runHandler(operation, owner, handler);
      return await resolve(operation, owner, verdict);
    } catch (error) {
      if (error instanceof Superseded) return superseded(operation, granted, error);
      const storeDown = error instanceof StoreUnavailable;
      if (!storeDown && !owner.effectSent) throw error;
      // The store became unavailable, or refused the verdict (a deadlock, a trigger, a response that cannot be sealed). If
      // an effect may have been sent, the caller must not get a failure: the lease expires, and reconciliation resolves
      // the operation.
      observe({ kind: storeDown ? 'store_error' : 'handler_error', ...eventContextOf(granted), error });
      if (owner.effectSent) return unknown(granted.id);
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
  };

  /** A handler that throws has given no verdict; the failure policy or the recovery point decides. */
  async function runHandler<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    handler: Handler<T, Tx>,
  ): Promise<Verdict<T, Tx>> {
    try {
      return await handler(owner);
    } catch (error) {
      if (error instanceof Superseded || error instanceof StoreUnavailable) throw error;
      observe({ kind: 'handler_error', ...eventContextOf(owner.record), error });
      const at = { recoveryPoint: owner.recoveryPoint, effectSent: owner.effectSent };
      const failure = operation.failurePolicy?.(error, at) ?? (at.effectSent ? 'unknown' : 'retryable');
      if (failure === 'unknown') return { kind: 'unknown', code: 'handler_error' };
      const { onReleased } = operation;
      return {
        kind: 'failed_retryable',
        problem: { spec: idempotencyProblems.operation_failed },
        recoveryPoint: at.effectSent ? firstRecoveryPoint : at.recoveryPoint,
        ...(onReleased && { writes: (tx: Tx) => onReleased(tx, owner.record) }),
      };
    }
  }

  async function resolve<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: Verdict<T, Tx>,
  ): Promise<Outcome> {
    const { operationId } = owner;
    // A late owner of the current attempt may resolve an operation that was marked unknown; it cannot mark it again.
    const from: Status[] = verdict.kind === 'unknown' ? ['in_progress'] : ['in_progress', 'unknown'];
    const resolution = resolutionOf(codec, operation, operationId, verdict, 'owner');
    await owner.transition(from, verdict.writes, resolution).catch((error: unknown) => {
      // The operation is unknown or resolved already, so this verdict adds nothing. It is not counted as a stale write.
      throw verdict.kind === 'unknown' && error instanceof Superseded
        ? new ResolvedElsewhere(operationId)
        : error;
    });
    const { cause } = resolution.reason;
    observe({ kind: 'attempt_ended', ...eventContextOf(owner.record), verdict: verdict.kind, cause });
    switch (verdict.kind) {
      case 'completed':
        return { kind: 'completed', operationId, response: responseOf(verdict), replayed: false };
      case 'failed_retryable':
        return { kind: 'refused', problem: verdict.problem, operationId };
      case 'unknown':
        return unknown(operationId);
    }
  }

  /** The caller of a superseded owner gets the stored response. */
  async function superseded(
    operation: OperationDefinition<Tx>,
    granted: OperationRecord,
    error: Superseded,
  ): Promise<Outcome> {
    const operationId = granted.id;
    if (!(error instanceof ResolvedElsewhere)) {
      observe({ kind: 'stale_write_refused', ...eventContextOf(granted) });
    }
    // If the store is unavailable now, the caller gets a 409 and retries with the same key.
    const record = await store.findById(granted).catch(() => undefined);
    const response = record?.status === 'completed' ? codec.open(operation, record) : undefined;
    if (response) return { kind: 'completed', operationId, response, replayed: true };
    return record?.status === 'unknown' ? unknown(operationId) : inProgress(operation, operationId);
  }
}

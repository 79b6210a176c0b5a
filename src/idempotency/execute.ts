import type { EngineOptions } from './engine.ts';
import { type EngineObserver, eventContextOf } from './events.ts';
import {
  type CompletedVerdict,
  type Handler,
  type OperationDefinition,
  RefusedByApplication,
  ResolvedElsewhere,
  Superseded,
  type Verdict,
} from './operation.ts';
import { inProgress, type Outcome, refused, replayOf, storeUnavailable, unknown } from './outcome.ts';
import { createOwner, type Owner } from './owner.ts';
import { RolledBack, StoreUnavailable } from './ports.ts';
import { idempotencyProblems, type Problem } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';
import { resolutionOf, responseOf } from './resolution.ts';
import type { ResponseCodec } from './response-codec.ts';

/** Runs the handler as the owner of one attempt, and writes its verdict. */
export function createExecute<Tx>(
  options: EngineOptions<Tx> & { readonly codec: ResponseCodec<Tx>; readonly observe: EngineObserver },
): <T>(
  operation: OperationDefinition<Tx>,
  reservation: { readonly granted: OperationRecord; readonly rowResult?: unknown },
  handler: Handler<T, Tx>,
) => Promise<Outcome> {
  const { store, codec, observe } = options;

  return async function execute(operation, { granted, rowResult }, handler) {
    const owner = createOwner(options, operation, granted, rowResult);
    try {
      const { verdict, thrown } = await runHandler(operation, owner, handler);
      const outcome = await resolve(operation, owner, verdict);
      return thrown && outcome.kind === 'refused' ? { ...outcome, thrown } : outcome;
    } catch (error) {
      if (error instanceof Superseded) return await superseded(operation, granted, error);
      const storeDown = error instanceof StoreUnavailable;
      if (!storeDown && !owner.effectSent) throw error;
      // The store became unavailable, or refused the verdict (a deadlock, a trigger, a response that cannot be sealed). If
      // an effect may have been sent, the caller must not get a failure: the lease expires, and reconciliation resolves
      // the operation.
      observe({ kind: storeDown ? 'store_error' : 'handler_error', ...eventContextOf(granted), error });
      if (owner.effectSent) return unknown(granted.id);
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    } finally {
      owner.stopWatching();
    }
  };

  /** A handler that throws has given no verdict; the failure policy or the recovery point decides. */
  async function runHandler<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    handler: Handler<T, Tx>,
  ): Promise<{ readonly verdict: Verdict<T, Tx>; readonly thrown?: { readonly error: unknown } }> {
    try {
      return { verdict: await handler(owner) };
    } catch (caught) {
      // A phase that was rolled back has not happened: as after any other error, the key is released if nothing was sent.
      const storeDown = caught instanceof StoreUnavailable && !(caught instanceof RolledBack);
      if (caught instanceof Superseded || storeDown) throw caught;
      const isRefusal = caught instanceof RefusedByApplication;
      const error = isRefusal ? caught.error : caught;
      const at = { recoveryPoint: owner.recoveryPoint, effectSent: owner.effectSent };
      const failure = operation.failurePolicy?.(error, at) ?? (at.effectSent ? 'unknown' : 'retryable');
      if (!isRefusal || failure === 'unknown') {
        observe({ kind: 'handler_error', ...eventContextOf(owner.record), error });
      }
      const verdict: Verdict<T, Tx> =
        failure === 'unknown'
          ? { kind: 'unknown', code: 'handler_error' }
          : releasedAfterThrow(operation, owner, error);
      return { verdict, thrown: { error } };
    }
  }

  function releasedAfterThrow<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    error: unknown,
  ): Verdict<T, Tx> {
    const { onReleased } = operation;
    // It is no bug of the application that another writer had the row: the same request succeeds a moment later.
    const problem: Problem =
      error instanceof RolledBack
        ? { spec: idempotencyProblems.idempotency_store_unavailable, retryAfterSeconds: 2 }
        : { spec: idempotencyProblems.operation_failed };
    return {
      kind: 'failed_retryable',
      problem,
      recoveryPoint: owner.effectSent ? firstRecoveryPoint : owner.recoveryPoint,
      ...(onReleased && { writes: (tx: Tx) => onReleased(tx, owner.record) }),
    };
  }

  async function resolve<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: Verdict<T, Tx>,
  ): Promise<Outcome> {
    const { operationId } = owner;
    let outcome: Outcome;
    try {
      outcome = outcomeOf(operationId, verdict);
    } catch (error) {
      if (verdict.kind !== 'completed') throw error;
      return completeWithoutResponse(operation, owner, verdict, error);
    }
    // A late owner of the current attempt may complete an operation that was marked unknown. It cannot release it: that its
    // own request was not executed proves nothing, because reconciliation may have sent the same one meanwhile.
    const from: Status[] = verdict.kind === 'completed' ? ['in_progress', 'unknown'] : ['in_progress'];
    const written = outcome.kind === 'completed' ? outcome.response : undefined;
    const resolution = resolutionOf(codec, operation, operationId, verdict, 'owner', written);
    await owner.transition(from, verdict.writes, resolution).catch((error: unknown) => {
      // The operation is unknown or resolved already, so this verdict adds nothing. It is not counted as a stale write.
      throw verdict.kind === 'unknown' && error instanceof Superseded
        ? new ResolvedElsewhere(operationId)
        : error;
    });
    const { cause } = resolution.reason;
    observe({ kind: 'attempt_ended', ...eventContextOf(owner.record), verdict: verdict.kind, cause });
    return outcome;
  }

  /** The effect has happened, so the operation is completed: its handler must not run again for want of a response. */
  async function completeWithoutResponse<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: CompletedVerdict<T, Tx>,
    error: unknown,
  ): Promise<Outcome> {
    observe({ kind: 'handler_error', ...eventContextOf(owner.record), error });
    const spec = idempotencyProblems.response_not_storable;
    const { body: _, ...done } = verdict;
    const resolution = resolutionOf(
      codec,
      operation,
      owner.operationId,
      { ...done, body: undefined, status: spec.http },
      'owner',
    );
    await owner.transition(['in_progress', 'unknown'], verdict.writes, {
      ...resolution,
      errorCode: spec.code,
    });
    observe({
      kind: 'attempt_ended',
      ...eventContextOf(owner.record),
      verdict: verdict.kind,
      cause: verdict.cause,
    });
    return { kind: 'refused', problem: { spec }, operationId: owner.operationId };
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
    // If the store is unavailable now, the caller gets a 409 and retries with the same key. The same id at another time of
    // claim is the record of a later request, perhaps with another command: its response is not this caller's.
    const found = await store.findById(granted).catch(() => undefined);
    const record = found?.createdAt.getTime() === granted.createdAt.getTime() ? found : undefined;
    if (record?.status !== 'completed') {
      return record?.status === 'unknown' ? unknown(operationId) : inProgress(operation, operationId);
    }
    try {
      return replayOf(record, codec.open(operation, record));
    } catch (unreadable) {
      if (!(unreadable instanceof StoreUnavailable)) throw unreadable;
      observe({ kind: 'store_error', ...eventContextOf(granted), error: unreadable });
      return storeUnavailable(unreadable);
    }
  }
}

/** Writes the body: the first caller gets the same text that is stored, also if the handler changes its object later. */
function outcomeOf<T, Tx>(operationId: string, verdict: Verdict<T, Tx>): Outcome {
  switch (verdict.kind) {
    case 'completed':
      return { kind: 'completed', operationId, response: responseOf(verdict), replayed: false };
    case 'failed_retryable':
      return { kind: 'refused', problem: verdict.problem, operationId };
    case 'unknown':
      return unknown(operationId);
  }
}

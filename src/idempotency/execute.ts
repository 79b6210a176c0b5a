import type { AnswerBox } from './response-codec.ts';
import type { EngineParts } from './engine.ts';
import {
  type Handler,
  type OperationDefinition,
  SettledElsewhere,
  Superseded,
  type Verdict,
} from './operation.ts';
import { inProgress, type Outcome, refused, unknown } from './outcome.ts';
import { createOwner, type Owner } from './owner.ts';
import { type EngineObserver, StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import { firstRecoveryPoint, type OperationRecord, type Status } from './record.ts';
import { settlementOf } from './resolution.ts';

/** Runs the handler as the owner of one attempt, and writes down how it ended. */
export function createExecute<Tx>(
  parts: EngineParts<Tx> & { readonly box: AnswerBox<Tx>; readonly observe: EngineObserver },
): <T>(
  operation: OperationDefinition<Tx>,
  granted: OperationRecord,
  handler: Handler<T, Tx>,
) => Promise<Outcome> {
  const { store, box, observe } = parts;

  return async function execute(operation, granted, handler) {
    const owner = createOwner(parts, operation, granted);
    try {
      const verdict = await judgeHandler(operation, owner, handler);
      return await settle(operation, owner, verdict);
    } catch (error) {
      if (error instanceof Superseded) return overtaken(operation, granted, error);
      const storeGone = error instanceof StoreUnavailable;
      if (!storeGone && !owner.effectSent) throw error;
      // The store went away under an executing owner, or would not take its verdict (a deadlock, a trigger, an answer
      // that cannot be sealed). What it already sent stays possible, so nobody may be told that it failed: the lease
      // runs out and reconciliation settles it.
      observe({ kind: storeGone ? 'store_error' : 'handler_error', ...about(granted), error });
      if (owner.effectSent) return unknown(granted.id);
      return refused(idempotencyProblems.idempotency_store_unavailable, { retryAfterSeconds: 2 });
    }
  };

  /** A handler that throws has not said how it ended. */
  async function judgeHandler<T>(
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

  async function settle<T>(
    operation: OperationDefinition<Tx>,
    owner: Owner<Tx>,
    verdict: Verdict<T, Tx>,
  ): Promise<Outcome> {
    const { operationId } = owner;
    // A late owner of the current attempt may still settle what others have begun to doubt; it cannot doubt it again.
    const from: Status[] = verdict.kind === 'unknown' ? ['in_progress'] : ['in_progress', 'unknown'];
    const move = settlementOf(box, operation, operationId, verdict, 'owner');
    await owner.move(from, verdict.writes, move).catch((error: unknown) => {
      // Whoever came to doubt it first has said the same: no stale write was refused, there was nothing to write.
      throw verdict.kind === 'unknown' && error instanceof Superseded
        ? new SettledElsewhere(operationId)
        : error;
    });
    observe({ kind: 'ended', ...about(owner.record), as: verdict.kind, cause: move.because.cause });
    switch (verdict.kind) {
      case 'completed': {
        const answer = { status: verdict.status, body: JSON.stringify(verdict.body) };
        return { kind: 'answered', operationId, answer, replayed: false };
      }
      case 'failed_retryable':
        return { kind: 'refused', problem: verdict.problem, operationId };
      case 'unknown':
        return unknown(operationId);
    }
  }

  /** Whatever is true now is the answer to a superseded owner's caller. */
  async function overtaken(
    operation: OperationDefinition<Tx>,
    granted: OperationRecord,
    error: Superseded,
  ): Promise<Outcome> {
    const operationId = granted.id;
    if (!(error instanceof SettledElsewhere)) observe({ kind: 'stale_write_refused', ...about(granted) });
    // A store that is gone now leaves the caller with what is certain: come back with the same key.
    const record = await store.findById(operationId).catch(() => undefined);
    const answer = record?.status === 'completed' ? box.open(operation, record) : undefined;
    if (answer) return { kind: 'answered', operationId, answer, replayed: true };
    return record?.status === 'unknown' ? unknown(operationId) : inProgress(operation, operationId);
  }
}

function about(record: OperationRecord) {
  return { operation: record.operation, tenantId: record.tenantId, operationId: record.id };
}

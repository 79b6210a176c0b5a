import type { OperationDefinition } from './operation.ts';
import { ResponseUnreadable, type StoreUnavailable } from './ports.ts';
import { idempotencyProblems, type Problem } from './problems.ts';
import type { OperationRecord, OperationResponse } from './record.ts';

/** The engine's result for one request. The adapters translate it to tRPC and to HTTP. */
export type Outcome =
  | {
      readonly kind: 'completed';
      readonly operationId: string;
      readonly response: OperationResponse;
      readonly replayed: boolean;
    }
  /** In progress only if the operation's policy for concurrent requests is `accepted`. */
  | { readonly kind: 'pending'; readonly operationId: string; readonly status: 'unknown' | 'in_progress' }
  | {
      readonly kind: 'refused';
      readonly problem: Problem;
      readonly operationId?: string;
      /** What the handler threw, if it did. Nothing had happened, and its key was released. */
      readonly thrown?: { readonly error: unknown };
    };

export function refused(spec: Problem['spec'], details: Omit<Problem, 'spec'> = {}): Outcome {
  return { kind: 'refused', problem: { spec, ...details } };
}

/** Nothing is executed now. The caller retries with the same key. */
export function storeUnavailable(error: StoreUnavailable): Outcome {
  const { response_unreadable, idempotency_store_unavailable } = idempotencyProblems;
  const spec = error instanceof ResponseUnreadable ? response_unreadable : idempotency_store_unavailable;
  return refused(spec, { retryAfterSeconds: 2 });
}

export function inProgress<Tx>(operation: OperationDefinition<Tx>, operationId?: string): Outcome {
  return {
    kind: 'refused',
    problem: {
      spec: idempotencyProblems.idempotency_key_in_progress,
      retryAfterSeconds: operation.retryAfterSeconds,
    },
    ...(operationId && { operationId }),
  };
}

/** What a completed record has for its caller. */
export function replayOf(record: OperationRecord, response: OperationResponse | undefined): Outcome {
  if (!response) return expired(record);
  const { response_not_storable: notStorable } = idempotencyProblems;
  if (record.lastErrorCode === notStorable.code) {
    return { kind: 'refused', problem: { spec: notStorable }, operationId: record.id };
  }
  return { kind: 'completed', operationId: record.id, response, replayed: true };
}

export function expired(record: OperationRecord): Outcome {
  const spec = idempotencyProblems.idempotency_key_expired;
  const { resource, completedAt, lastErrorCode } = record;
  // With this error it is the retry of a record that was deleted, and whose operation may have been executed.
  const wasReleased = !resource && !completedAt && lastErrorCode !== spec.code;
  return {
    kind: 'refused',
    problem: {
      spec,
      ...(resource && { extensions: { resourceType: resource.type, resourceId: resource.id } }),
      ...(wasReleased && neverExecuted),
    },
    operationId: record.id,
  };
}

/** The key was released, so there is nothing to look up, and no later request under it is executed. */
const neverExecuted: Pick<Problem, 'detail' | 'advice'> = {
  detail:
    'The time in which this key could be tried again is over. Its last try was refused or failed, and nothing happened.',
  advice: { action: 'Send it as a new request with a new key, if it is still wanted.', newKey: 'safe' },
};

export function unknown(operationId: string): Outcome {
  return { kind: 'pending', operationId, status: 'unknown' };
}

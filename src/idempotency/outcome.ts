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
  return {
    kind: 'refused',
    problem: {
      spec: idempotencyProblems.idempotency_key_expired,
      ...(record.resource && {
        extensions: { resourceType: record.resource.type, resourceId: record.resource.id },
      }),
    },
    operationId: record.id,
  };
}

export function unknown(operationId: string): Outcome {
  return { kind: 'pending', operationId, status: 'unknown' };
}

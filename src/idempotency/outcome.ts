import type { OperationDefinition } from './operation.ts';
import { idempotencyProblems, type Problem } from './problems.ts';
import type { Answer, OperationRecord } from './record.ts';

/** What the caller is told. The two doors translate it; nothing else does. */
export type Outcome =
  | {
      readonly kind: 'answered';
      readonly operationId: string;
      readonly answer: Answer;
      readonly replayed: boolean;
    }
  /** `running`: still being executed, and the operation's policy is not to make the caller wait. */
  | { readonly kind: 'pending'; readonly operationId: string; readonly why: 'unknown' | 'running' }
  | { readonly kind: 'refused'; readonly problem: Problem; readonly operationId?: string };

export function refused(spec: Problem['spec'], more: Omit<Problem, 'spec'> = {}): Outcome {
  return { kind: 'refused', problem: { spec, ...more } };
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
  return { kind: 'pending', operationId, why: 'unknown' };
}

import type { CompletedVerdict, OperationDefinition, Verdict } from './operation.ts';
import type { Transition } from './ports.ts';
import { firstRecoveryPoint, lastRecoveryPoint, type OperationResponse } from './record.ts';
import { writeBody } from './response-body.ts';
import type { ResponseCodec } from './response-codec.ts';

/** The transition that writes a verdict. It is the same for an owner, a webhook, a check and an operator. */
export function resolutionOf<T, Tx>(
  codec: ResponseCodec<Tx>,
  operation: OperationDefinition<Tx>,
  operationId: string,
  verdict: Verdict<T, Tx>,
  actor: string,
  /** The response of a completed verdict, if it was written before. */
  written?: OperationResponse,
): Omit<Transition, 'record' | 'when'> {
  const topics = verdict.topics && { topics: verdict.topics };
  const reasonOf = (cause: string) => ({
    actor,
    cause,
    ...(verdict.evidence && { evidence: verdict.evidence }),
  });
  switch (verdict.kind) {
    case 'completed':
      return {
        to: 'completed',
        recoveryPoint: lastRecoveryPoint,
        response: codec.seal(operation, operationId, written ?? responseOf(verdict)),
        ...(verdict.resource && { resource: verdict.resource }),
        retention: operation.retention,
        reason: reasonOf(verdict.cause),
        ...topics,
      };
    case 'failed_retryable':
      return {
        to: 'failed_retryable',
        effectSent: false,
        recoveryPoint: verdict.recoveryPoint ?? firstRecoveryPoint,
        errorCode: verdict.problem.spec.code,
        ...(verdict.resource && { resource: verdict.resource }),
        retention: operation.retention,
        reason: reasonOf(verdict.problem.spec.code),
        ...topics,
      };
    case 'unknown':
      return {
        to: 'unknown',
        errorCode: verdict.code,
        checkInMs: operation.checks.firstInMs,
        reason: reasonOf(verdict.code),
        ...topics,
      };
  }
}

/** The response that the owner's caller gets, and that is stored for replays. */
export function responseOf<T, Tx>({ status, body }: CompletedVerdict<T, Tx>): OperationResponse {
  // No response could be made of it, neither for this caller nor for any later one.
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    throw new TypeError(`${status} is no status of a response.`);
  }
  return { status, body: writeBody(body) };
}

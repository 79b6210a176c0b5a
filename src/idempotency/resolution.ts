import type { OperationDefinition, Verdict } from './operation.ts';
import type { Move } from './ports.ts';
import { firstRecoveryPoint, lastRecoveryPoint } from './record.ts';
import type { ResponseCodec } from './response-codec.ts';

/** How a verdict is written, by the owner, a webhook, the poller or an operator alike. */
export function resolutionOf<T, Tx>(
  codec: ResponseCodec<Tx>,
  operation: OperationDefinition<Tx>,
  operationId: string,
  verdict: Verdict<T, Tx>,
  actor: string,
): Omit<Move, 'record' | 'when'> {
  const because = (cause: string) => ({
    actor,
    cause,
    ...(verdict.evidence && { evidence: verdict.evidence }),
  });
  switch (verdict.kind) {
    case 'completed':
      return {
        to: 'completed',
        recoveryPoint: lastRecoveryPoint,
        response: codec.seal(operation, operationId, {
          status: verdict.status,
          body: JSON.stringify(verdict.body),
        }),
        ...(verdict.resource && { resource: verdict.resource }),
        retention: operation.retention,
        because: because(verdict.cause),
      };
    case 'failed_retryable':
      return {
        to: 'failed_retryable',
        effectSent: false,
        recoveryPoint: verdict.recoveryPoint ?? firstRecoveryPoint,
        errorCode: verdict.problem.spec.code,
        retention: operation.retention,
        because: because(verdict.problem.spec.code),
      };
    case 'unknown':
      return {
        to: 'unknown',
        errorCode: verdict.code,
        reconcileInMs: operation.reconcileInMs,
        because: because(verdict.code),
      };
  }
}

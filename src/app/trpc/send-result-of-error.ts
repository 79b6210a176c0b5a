import { TRPCClientError } from '@trpc/client';
import type { SendResult } from '#idempotency/react.ts';
import type { AppRouter } from '#server/trpc/root.ts';

/**
 * Temporary problems, after which the page sends the same request again under the same key. Every other problem would
 * recur, and is shown to the shopper.
 */
const retryable = new Set([
  'idempotency_store_unavailable',
  'response_unreadable',
  'provider_unavailable',
  'comparing_with_provider',
  'operation_failed',
]);

/**
 * Problems after which the key cannot be used any more. A new key is safe for an order that is still open, because the
 * database allows one live payment of an order at a time, under any key.
 */
const keySpent = new Set(['idempotency_key_reused', 'idempotency_key_expired']);

/** An error without a response of the server counts as a lost response: the request may have been executed. */
export function sendResultOfError(
  error: unknown,
): Exclude<SendResult<never>, { kind: 'completed' | 'pending' }> {
  if (!(error instanceof TRPCClientError)) return { kind: 'lost' };
  const { data } = error as TRPCClientError<AppRouter>;
  if (!data) return { kind: 'lost' };
  const { problem } = data;
  const retryAfterMs = (problem?.retryAfterSeconds ?? 1) * 1000;
  if (problem?.code === 'idempotency_key_in_progress') return { kind: 'in_progress', retryAfterMs };
  if (problem ? retryable.has(problem.code) : data.httpStatus >= 500) {
    return { kind: 'unavailable', retryAfterMs };
  }
  const code = problem?.code ?? data.code;
  return {
    kind: 'refused',
    problem: {
      code,
      message: error.message,
      keyUsable: !keySpent.has(code),
      action: problem?.action,
      extensions: problem?.extensions ?? {},
    },
  };
}

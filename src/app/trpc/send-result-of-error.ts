import { TRPCClientError } from '@trpc/client';
import type { SendResult } from '#idempotency/react.ts';
import type { AppRouter } from '#server/trpc/root.ts';

/**
 * The page sends the same request with the same key again a little later. Every other problem would be the same the next
 * time and is shown to the shopper.
 */
const retryable = new Set(['idempotency_store_unavailable', 'provider_unavailable', 'operation_failed']);

/**
 * The key cannot be used any more. A new one is safe for an order that is still open: the database allows one payment of
 * an order at a time, under any key.
 */
const keySpent = new Set(['idempotency_key_reused', 'idempotency_key_expired']);

/** Only the server's own response is certain. Everything else is a lost response. */
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

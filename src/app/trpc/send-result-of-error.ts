import { TRPCClientError } from '@trpc/client';
import type { Sent } from '#idempotency/react.ts';
import type { AppRouter } from '#server/trpc/root.ts';

/**
 * The problems that pass: the same request with the same key is welcome again a little later, so the page sends it by
 * itself. Every other problem would be the same the next time and is for the shopper to read.
 */
const passing = new Set(['idempotency_store_unavailable', 'provider_unavailable', 'operation_failed']);

/**
 * Nothing can come of the key any more. A new one is safe for an order that is still open: of all payments of one order
 * the database lets a single one live, whatever their keys.
 */
const spoilt = new Set(['idempotency_key_reused', 'idempotency_key_expired']);

/** Only what the server said is certain. Everything else is a lost answer. */
export function sentOfError(error: unknown): Exclude<Sent<never>, { kind: 'answered' | 'pending' }> {
  if (!(error instanceof TRPCClientError)) return { kind: 'lost' };
  const { data } = error as TRPCClientError<AppRouter>;
  if (!data) return { kind: 'lost' };
  const { problem } = data;
  const retryAfterMs = (problem?.retryAfterSeconds ?? 1) * 1000;
  if (problem?.code === 'idempotency_key_in_progress') return { kind: 'in_progress', retryAfterMs };
  if (problem ? passing.has(problem.code) : data.httpStatus >= 500) {
    return { kind: 'unavailable', retryAfterMs };
  }
  const code = problem?.code ?? data.code;
  return {
    kind: 'refused',
    problem: {
      code,
      message: error.message,
      keyUsable: !spoilt.has(code),
      action: problem?.action,
      extensions: problem?.extensions ?? {},
    },
  };
}

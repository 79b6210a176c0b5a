import { StoreUnavailable } from '#idempotency/index.ts';
import { isDatabaseUnavailable, sqlState } from '#idempotency/stores/prisma.ts';

/** How long a client should wait for a database that is away, as a rule for a failover. */
export const retryAfterSeconds = 2;

/** Another session held a row for too long. The statement was rolled back, and its connection is as good as before. */
const lockNotAvailable = '55P03';

/** The database does not respond, takes no writes, or has the row locked: no bug of ours, and the same request may be sent again. */
export function isUnavailable(error: unknown): boolean {
  return (
    error instanceof StoreUnavailable || isDatabaseUnavailable(error) || sqlState(error) === lockNotAvailable
  );
}

/** For what has no format of its own for errors. */
export function unavailableResponse(): Response {
  return new Response('Please try again in a moment.', {
    status: 503,
    headers: { 'Retry-After': String(retryAfterSeconds) },
  });
}

import { ProblemError } from '#idempotency/adapters/trpc.ts';
import { idempotencyProblems } from '#idempotency/index.ts';
import { paymentProblems } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import { createRateLimitStorage } from '../rate-limit.ts';

/**
 * Stolen cards are tried one by one, each on an order of its own. From one network a shop takes this many payments in ten
 * minutes that do not succeed: more than a household or an office has, and too few to be worth a thief's while. As many
 * retries are taken of the payments of one order.
 */
const failureLimit = { window: 600, max: 20 };

/**
 * No card is tried while the provider or the database is not available, and pages then send their payment again by themselves. A stranger
 * could send as many, so they are free up to a number that many waiting shoppers do not reach.
 */
const unavailableLimit = { window: 600, max: 200 };

const unavailable = [
  paymentProblems.provider_unavailable,
  paymentProblems.comparing_with_provider,
  idempotencyProblems.idempotency_store_unavailable,
];

/** How a request to pay ended, as a middleware sees it. */
export type PayOutcome =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * The payments of a shop that did not succeed, from one network or of one order. A payment is counted before it is made, so
 * that many at once are limited too, and given back where no card was refused.
 */
export function createFailedPayments(
  db: Prisma.TransactionClient,
  { tenantId, of }: { readonly tenantId: string; readonly of: string },
) {
  const limits = createRateLimitStorage(db);
  const key = `pay ${tenantId} ${of}`;

  /**
   * A payment that the shopper confirms at their bank succeeds after its request has ended. Whether it did is asked when it
   * matters, so that it makes no difference how the bank's answer arrived.
   */
  const giveBackConfirmed = () => db.$executeRaw`
    WITH waiting AS MATERIALIZED (
      SELECT one.key, right(one.key, 36) AS operation_id FROM rate_limit AS one
      JOIN rate_limit AS counted ON counted.key = ${key} AND one.last_request >= counted.last_request
      WHERE starts_with(one.key, ${atTheBank(key, '')})),
    confirmed AS (
      DELETE FROM rate_limit USING waiting
      JOIN payment ON payment.tenant_id = ${tenantId} AND payment.operation_id = waiting.operation_id::uuid
        AND payment.status = 'succeeded'
      WHERE rate_limit.key = waiting.key
      RETURNING rate_limit.key)
    UPDATE rate_limit SET count = greatest(0, count - (SELECT count(*) FROM confirmed)::int)
    WHERE key = ${key} AND EXISTS (SELECT FROM confirmed)`;

  return {
    /** In how many seconds the next payment may be tried; null: this one may be. */
    async count(): Promise<number | null> {
      const { retryAfter } = await limits.consume(key, failureLimit);
      if (retryAfter === null || (await giveBackConfirmed()) === 0) return retryAfter;
      return (await limits.consume(key, { ...failureLimit, cost: 0 })).retryAfter;
    },

    async ended(outcome: PayOutcome): Promise<void> {
      if (!outcome.ok) {
        if (await isFree(outcome.error)) await limits.giveBack(key);
        return;
      }
      const { status, operationId } = outcome.data as { status?: unknown; operationId?: unknown };
      if (status === 'succeeded') await limits.giveBack(key);
      if (status === 'pending') await limits.consume(atTheBank(key, String(operationId)), failureLimit);
    },
  };

  async function isFree(error: unknown): Promise<boolean> {
    const code = error instanceof ProblemError ? error.problem.spec.code : undefined;
    // A second click: the first one is counted.
    if (code === idempotencyProblems.idempotency_key_in_progress.code) return true;
    if (!unavailable.some((problem) => problem.code === code)) return false;
    return (await limits.consume(`${key} unavailable`, unavailableLimit)).allowed;
  }
}

export type FailedPayments = ReturnType<typeof createFailedPayments>;

function atTheBank(key: string, operationId: string): string {
  return `${key} at the bank ${operationId}`;
}

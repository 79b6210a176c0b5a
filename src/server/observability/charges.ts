import { z } from 'zod';
import { Prisma } from '#prisma';
import type { Env } from '../env.ts';

type Db = Pick<Prisma.TransactionClient, '$queryRaw'>;

const ledger = z.object({ succeeded: z.int() });
/** A scrape is not kept waiting for somebody else's answer. */
const timeoutMs = 2_000;

/**
 * Charges at the provider for which there is no completed payment here. Not zero means that money moved and the books
 * do not say so: for a moment while a payment is under way, for longer while an outcome is unknown, and otherwise
 * never. A late truth counts until a person has decided on it. Undefined: it cannot be known now.
 */
export function createChargeComparison(
  db: Db,
  settings: Pick<Env, 'provider' | 'SANDBOX_URL'>,
): () => Promise<number | undefined> {
  return settings.provider === 'sandbox'
    ? () => compareWithSandbox(db, settings.SANDBOX_URL).catch(() => undefined)
    : () => compareWithEvidence(db);
}

/** A late truth may be in the books, such as one about a cancelled order; those that are not make the difference. */
const unbooked = Prisma.sql`late_truth truth JOIN payment ON payment.id = truth.payment_id
  AND truth.refund_id IS NULL AND NOT (payment.status = 'succeeded' AND payment.provider_intent_id = truth.intent_id)`;

/** The sandbox's whole ledger, by number. Ours first: a payment that ends meanwhile then reads +1, as one under way. */
async function compareWithSandbox(db: Db, sandboxUrl: string): Promise<number> {
  const [ours] = await db.$queryRaw<{ count: number }[]>`
    SELECT ((SELECT count(*) FROM payment WHERE status = 'succeeded')
      + (SELECT count(*) FROM ${unbooked} WHERE truth.status <> 'open'))::int AS count`;
  const response = await fetch(new URL('/_sandbox/charges/count', sandboxUrl), {
    signal: AbortSignal.timeout(timeoutMs),
  });
  return ledger.parse(await response.json()).succeeded - (ours?.count ?? 0);
}

/**
 * Stripe has no ledger that can be counted at every scrape, but it has told us of each success by a signed webhook. Of
 * the last day's: operations without a succeeded payment, and second charges of an operation that has one, which are
 * late truths. What no webhook ever told of is seen only by the poller.
 */
async function compareWithEvidence(db: Db): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT ((SELECT count(DISTINCT event.operation_id) FROM provider_event event
        WHERE event.type = 'payment_intent.succeeded' AND event.provider = 'stripe'
          AND event.received_at > clock_timestamp() - interval '1 day'
          AND event.operation_id IS NOT NULL
          AND NOT EXISTS (
            SELECT FROM payment WHERE payment.operation_id = event.operation_id
              AND (payment.status = 'succeeded' OR EXISTS (
                SELECT FROM late_truth truth WHERE truth.payment_id = payment.id))))
      + (SELECT count(*) FROM ${unbooked} WHERE truth.status = 'open'))::int AS count`;
  return row?.count ?? 0;
}

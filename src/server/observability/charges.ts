import { z } from 'zod';
import { Prisma } from '#prisma';
import type { Env } from '../env.ts';

type Db = Pick<Prisma.TransactionClient, '$queryRaw'>;

const ledger = z.object({ succeeded: z.int() });
/** A scrape does not wait longer than this for the sandbox. */
const timeoutMs = 2_000;

/**
 * Charges at the provider for which there is no succeeded payment here. Not zero means that money moved and the ledger
 * does not say so: for a moment while a payment is in progress, for longer while an outcome is unknown, and otherwise
 * never. An open exception counts until an operator has decided on it. Undefined: it cannot be known now.
 */
export function createChargeComparison(
  db: Db,
  settings: Pick<Env, 'provider' | 'SANDBOX_URL'>,
): () => Promise<number | undefined> {
  return settings.provider === 'sandbox'
    ? () => compareWithSandbox(db, settings.SANDBOX_URL).catch(() => undefined)
    : () => compareWithEvidence(db);
}

/** The charge of an exception may be booked, such as one for a cancelled order. Only unbooked ones are a difference. */
const unbooked = Prisma.sql`reconciliation_exception exception
  JOIN payment ON payment.tenant_id = exception.tenant_id AND payment.id = exception.payment_id
  AND exception.refund_id IS NULL
  AND NOT (payment.status = 'succeeded' AND payment.provider_intent_id = exception.intent_id)`;

/** Counts the sandbox's whole ledger. Ours is read first: a payment that completes meanwhile then reads +1, as one in progress. */
async function compareWithSandbox(db: Db, sandboxUrl: string): Promise<number> {
  const [ours] = await db.$queryRaw<{ count: number }[]>`
    SELECT ((SELECT count(*) FROM payment WHERE status = 'succeeded')
      + (SELECT count(*) FROM ${unbooked} WHERE exception.status <> 'open'))::int AS count`;
  const response = await fetch(new URL('/_sandbox/charges/count', sandboxUrl), {
    signal: AbortSignal.timeout(timeoutMs),
  });
  return ledger.parse(await response.json()).succeeded - (ours?.count ?? 0);
}

/**
 * Stripe has no ledger that can be counted at every scrape, but it sends a signed webhook for each success. Counted are,
 * of the last day, operations without a succeeded payment, and second charges of an operation that has one, which are
 * exceptions. A success without a webhook is found by the poller only.
 */
async function compareWithEvidence(db: Db): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    SELECT ((SELECT count(DISTINCT (event.tenant_id, event.operation_id)) FROM provider_event event
        WHERE event.type = 'payment_intent.succeeded' AND event.provider = 'stripe'
          AND event.received_at > clock_timestamp() - interval '1 day'
          AND event.operation_id IS NOT NULL
          AND NOT EXISTS (
            SELECT FROM payment
            WHERE payment.tenant_id = event.tenant_id AND payment.operation_id = event.operation_id
              AND (payment.status = 'succeeded' OR EXISTS (
                SELECT FROM reconciliation_exception exception
                WHERE exception.tenant_id = payment.tenant_id AND exception.payment_id = payment.id))))
      + (SELECT count(*) FROM ${unbooked} WHERE exception.status = 'open'))::int AS count`;
  return row?.count ?? 0;
}

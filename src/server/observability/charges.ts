import { z } from 'zod';
import { Prisma } from '#prisma';
import type { Env } from '../env.ts';

type Db = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** Charges or payments in 256 parts, by the MD5 of their intents' ids, and a digest of each part. */
const ledgerParts = z.array(z.object({ part: z.string(), count: z.int(), digest: z.int() }));
type LedgerParts = z.output<typeof ledgerParts>;
const ledger = z.object({ parts: ledgerParts });
/** A scrape does not wait longer than this for the sandbox. */
const timeoutMs = 2_000;

/** What the two ledgers have without the other. They are counted apart, because one too many of each would add up to none. */
export interface LedgerDifference {
  /**
   * Money moved and our ledger does not say so: for a moment while a payment is in progress, for longer while an outcome is
   * unknown, and otherwise never. An open exception counts until an operator has decided on it.
   */
  readonly chargesWithoutPayment: number;
  /** Our ledger has money that did not move. */
  readonly paymentsWithoutCharge: number;
}

/** Undefined: it cannot be known now. */
export type CompareCharges = () => Promise<LedgerDifference | undefined>;

export function createChargeComparison(
  db: Db,
  settings: Pick<Env, 'provider' | 'SANDBOX_URL'>,
): CompareCharges {
  return settings.provider === 'sandbox'
    ? () => compareWithSandbox(db, settings.SANDBOX_URL).catch(() => undefined)
    : () => compareWithEvidence(db);
}

/** The charge of an exception may be booked, such as one for a cancelled order. Only unbooked ones are a difference. */
const unbooked = Prisma.sql`reconciliation_exception exception
  JOIN payment ON payment.tenant_id = exception.tenant_id AND payment.id = exception.payment_id
  AND exception.refund_id IS NULL
  AND NOT (payment.status = 'succeeded' AND payment.provider_intent_id = exception.intent_id)`;

/**
 * Compares the sandbox's whole ledger with ours, part by part. Ours is read first: a payment that completes meanwhile then is a
 * charge without a payment, as one in progress.
 */
async function compareWithSandbox(db: Db, sandboxUrl: string): Promise<LedgerDifference> {
  const ours = await db.$queryRaw<LedgerParts>`
    SELECT left(hash, 2) AS part, count(*)::int AS count, bit_xor(('x' || substr(hash, 3, 8))::bit(32)::int) AS digest
    FROM (
      SELECT md5(coalesce(provider_intent_id, '')) AS hash FROM payment WHERE status = 'succeeded'
      UNION ALL
      SELECT DISTINCT md5(coalesce(exception.intent_id, '')) FROM ${unbooked} WHERE exception.status <> 'open') AS booked
    GROUP BY part`;
  const response = await fetch(new URL('/_sandbox/charges/count', sandboxUrl), {
    signal: AbortSignal.timeout(timeoutMs),
  });
  return differenceOf(ledger.parse(await response.json()).parts, ours);
}

/** A part with as many of each, that are not the same ones, has at least one too many on both sides. */
export function differenceOf(theirs: LedgerParts, ours: LedgerParts): LedgerDifference {
  let [chargesWithoutPayment, paymentsWithoutCharge] = [0, 0];
  const none = { count: 0, digest: 0 };
  const [charged, booked] = [theirs, ours].map((parts) => new Map(parts.map((one) => [one.part, one])));
  for (const part of new Set([...theirs, ...ours].map((one) => one.part))) {
    const [charges, payments] = [charged?.get(part) ?? none, booked?.get(part) ?? none];
    const more = charges.count - payments.count;
    const isOther = more === 0 && charges.digest !== payments.digest;
    chargesWithoutPayment += isOther ? 1 : Math.max(more, 0);
    paymentsWithoutCharge += isOther ? 1 : Math.max(-more, 0);
  }
  return { chargesWithoutPayment, paymentsWithoutCharge };
}

/**
 * Stripe has no ledger that can be counted at every scrape, but it sends a signed webhook for each success. Counted are,
 * of the last day, operations without a succeeded payment, and second charges of an operation that has one, which are
 * exceptions. A success without a webhook is found by the poller only. Of payments, those are counted that the provider has
 * denied since they were booked.
 */
async function compareWithEvidence(db: Db): Promise<LedgerDifference> {
  const [row] = await db.$queryRaw<LedgerDifference[]>`
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
      + (SELECT count(*) FROM ${unbooked} WHERE exception.status = 'open'))::int AS "chargesWithoutPayment",
      (SELECT count(*) FROM reconciliation_exception
        WHERE status = 'open' AND refund_id IS NULL AND reason IN ('charge_denied', 'assertion_denied'))::int
        AS "paymentsWithoutCharge"`;
  if (!row) throw new Error('A query without FROM has one row.');
  return row;
}

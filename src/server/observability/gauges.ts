import { moneyOfOperation } from '#payments/index.ts';
import { Prisma } from '#prisma';
import { heartbeatTimeoutMs } from '#queue/index.ts';
import { type GaugeName, gauges, type LabelsOf, type Metric } from './catalogue.ts';
import type { CompareCharges } from './charges.ts';
import { combinations, type Labels, writeLabels } from './labels.ts';

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
}

export type Gauges = Record<GaugeName, readonly Sample[]>;

interface Row {
  readonly in_progress_age: number;
  readonly escalated: number;
  readonly exceptions: number;
  readonly inbox: number;
  readonly inbox_age: number;
  readonly jobs: number;
  readonly workers: number;
  readonly heartbeat_age: number | null;
  readonly comparison_age: number;
}

/**
 * Read from the tables at each scrape, by the database's clock. Each part reads a partial index that holds only what it
 * counts, so the cost depends on what is open, not on all payments ever made; a test checks the query plans.
 */
export const gaugesQuery = `
  SELECT
    -- The record is as old as its first attempt; an attempt is as old as its first event.
    (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - (
        SELECT min(event.at) FROM idempotency_event event
        WHERE event.tenant_id = record.tenant_id AND event.record_id = record.id
          AND event.attempt = record.attempt))), 0)
      FROM operation record WHERE status = 'in_progress')::float8 AS in_progress_age,
    (SELECT count(*) FROM operation WHERE escalated_at IS NOT NULL)::int AS escalated,
    (SELECT count(*) FROM reconciliation_exception WHERE status = 'open')::int AS exceptions,
    inbox.count AS inbox, inbox.age AS inbox_age,
    (SELECT count(*) FROM graphile_worker._private_jobs
      WHERE is_available AND run_at <= clock_timestamp())::int AS jobs,
    (SELECT count(*) FROM worker_heartbeat
      WHERE seen_at > clock_timestamp() - ${heartbeatTimeoutMs} * interval '1 millisecond')::int AS workers,
    (SELECT extract(epoch FROM clock_timestamp() - max(seen_at)) FROM worker_heartbeat)::float8 AS heartbeat_age,
    (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(opened_at)), 0)
      FROM database_history WHERE compared_at IS NULL)::float8 AS comparison_age
  FROM
    (SELECT count(*)::int AS count,
        coalesce(extract(epoch FROM clock_timestamp() - min(received_at)), 0)::float8 AS age
      FROM provider_event WHERE status = 'received') AS inbox`;

export const unknownQuery = `
  SELECT operation, count(*)::int AS count,
    extract(epoch FROM clock_timestamp() - min(unknown_since))::float8 AS age
  FROM operation WHERE status = 'unknown' GROUP BY operation`;

export const unknownMoneyQuery = Prisma.sql`
  SELECT record.operation, money.currency, sum(money.amount_minor)::float8 AS amount
  FROM operation record
  CROSS JOIN LATERAL (${moneyOfOperation(Prisma.sql`record.tenant_id`, Prisma.sql`record.id`)}) AS money
  WHERE record.status = 'unknown'
  GROUP BY record.operation, money.currency`;

type Db = Pick<Prisma.TransactionClient, '$queryRaw' | '$queryRawUnsafe'>;

export async function readGauges(db: Db, provider: string, compareCharges: CompareCharges): Promise<Gauges> {
  const [[row], unknown, money, [circuit], difference] = await Promise.all([
    db.$queryRawUnsafe<Row[]>(gaugesQuery),
    db.$queryRawUnsafe<{ operation: string; count: number; age: number }[]>(unknownQuery),
    db.$queryRaw<{ operation: string; currency: string; amount: number }[]>(unknownMoneyQuery),
    db.$queryRaw<{ state: number; pause: number }[]>`
      SELECT CASE WHEN open_until IS NULL THEN 0 WHEN open_until <= clock_timestamp() THEN 1 ELSE 2 END AS state,
        greatest(extract(epoch FROM paused_until - clock_timestamp()), 0)::float8 AS pause
      FROM provider_circuit WHERE provider = ${provider}`,
    compareCharges(),
  ]);
  if (!row) throw new Error('A query without FROM has one row.');
  return {
    paidonce_in_progress_oldest_age_seconds: one(row.in_progress_age),
    paidonce_unknown_operations: orZero(
      'paidonce_unknown_operations',
      unknown.map(({ operation, count }) => ({ labels: { operation }, value: count })),
    ),
    paidonce_unknown_oldest_age_seconds: orZero(
      'paidonce_unknown_oldest_age_seconds',
      unknown.map(({ operation, age }) => ({ labels: { operation }, value: age })),
    ),
    paidonce_unknown_amount_minor: orZero(
      'paidonce_unknown_amount_minor',
      money.map(({ operation, currency, amount }) => ({ labels: { operation, currency }, value: amount })),
    ),
    paidonce_operators_queue_size: one(row.escalated),
    // When the difference cannot be known there is no sample, and the alert on its absence fires.
    paidonce_charges_without_payment: difference ? one(difference.chargesWithoutPayment) : [],
    paidonce_payments_without_charge: difference ? one(difference.paymentsWithoutCharge) : [],
    paidonce_exceptions_open: one(row.exceptions),
    // Without a row nothing ever failed.
    paidonce_circuit_state: [{ labels: { provider }, value: circuit?.state ?? 0 }],
    paidonce_provider_pause_seconds: [{ labels: { provider }, value: circuit?.pause ?? 0 }],
    paidonce_webhook_inbox_unprocessed: one(row.inbox),
    paidonce_webhook_inbox_oldest_age_seconds: one(row.inbox_age),
    paidonce_jobs_ready: one(row.jobs),
    paidonce_workers_alive: one(row.workers),
    paidonce_comparison_age_seconds: one(row.comparison_age),
    paidonce_worker_heartbeat_age_seconds: row.heartbeat_age === null ? [] : one(row.heartbeat_age),
  };
}

/** The counts that were read, and zero for every other combination that the catalogue lists. */
function orZero<Name extends GaugeName>(
  name: Name,
  found: readonly { readonly labels: LabelsOf<(typeof gauges)[Name]>; readonly value: number }[],
): Sample[] {
  const { labels }: Metric = gauges[name];
  const zeros = combinations(labels).map((set) => ({ labels: set, value: 0 }));
  return [...new Map([...zeros, ...found].map((sample) => [writeLabels(sample.labels), sample])).values()];
}

function one(value: number): Sample[] {
  return [{ labels: {}, value }];
}

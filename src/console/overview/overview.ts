import { moneyOfOperation } from '#payments/index.ts';
import type { Currency, Money } from '#payments/money.ts';
import { money } from '#payments/money.ts';
import { operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import { heartbeatTimeoutMs } from '#queue/index.ts';
import { readCircuit } from '#reconciliation/index.ts';
import { unmadeProposals } from '../refunds/refund-proposals.ts';

type Db = Prisma.TransactionClient;

/** Open operations in total: how many, their amounts by currency, and the age of the oldest. */
export interface OpenTotal {
  readonly count: number;
  readonly money: Money[];
  readonly oldestAgeMs: number | null;
}

interface OpenTotalRow {
  readonly currency: Currency | null;
  readonly count: number;
  readonly amount: bigint | null;
  readonly age: number;
}

/**
 * Reads partial indexes over open operations, so the cost depends on what is open. The age counts from the claim for
 * running operations, from when the outcome became unknown for unknown ones, and from the escalation for the queue, which is
 * without those that are snoozed.
 */
export async function readOpenTotals(db: Db, tenantId: string) {
  const asleep = Prisma.sql`EXISTS (
    SELECT FROM operation_assignment a WHERE a.tenant_id = operation.tenant_id AND a.operation_id = operation.id
      AND a.snoozed_until > clock_timestamp())`;
  const escalated = (also: Prisma.Sql) =>
    readOpenTotal(db, tenantId, Prisma.sql`escalated_at IS NOT NULL AND ${also}`, Prisma.sql`escalated_at`);
  const [inProgress, unknown, queue, snoozed] = await Promise.all([
    readOpenTotal(db, tenantId, Prisma.sql`status = 'in_progress'`, Prisma.sql`created_at`),
    readOpenTotal(db, tenantId, Prisma.sql`status = 'unknown'`, Prisma.sql`unknown_since`),
    escalated(Prisma.sql`NOT ${asleep}`),
    escalated(asleep),
  ]);
  return { inProgress, unknown, queue, snoozed };
}

async function readOpenTotal(
  db: Db,
  tenantId: string,
  which: Prisma.Sql,
  since: Prisma.Sql,
): Promise<OpenTotal> {
  const rows = await db.$queryRaw<OpenTotalRow[]>`
    SELECT m.currency, count(*)::int AS count, sum(m.amount_minor)::bigint AS amount,
      max(extract(epoch FROM clock_timestamp() - r.since) * 1000)::float8 AS age
    FROM (
      SELECT tenant_id, id, ${since} AS since FROM operation
      WHERE tenant_id = ${tenantId} AND operation = ANY(${operationNames}) AND ${which}) AS r
    LEFT JOIN LATERAL (${moneyOfOperation(Prisma.sql`r.tenant_id`, Prisma.sql`r.id`)}) AS m ON true
    GROUP BY m.currency ORDER BY m.currency`;
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    money: rows.flatMap(({ currency, amount }) =>
      currency && amount !== null ? [money(amount, currency)] : [],
    ),
    oldestAgeMs: rows.length === 0 ? null : Math.max(0, ...rows.map((row) => row.age)),
  };
}

/** What waits for a person of the shop. Each is counted by an index over what is open. */
export interface Attention {
  /** Operations whose automatic checks are used up, without those that are snoozed. */
  readonly queue: number;
  readonly exceptions: number;
  /** Proposals, and approved refunds that were not made. */
  readonly approvals: number;
  readonly total: number;
  /** How many outcomes are unknown. They are checked automatically, so they do not wait for a person yet. */
  readonly unknown: number;
}

export async function readAttention(db: Db, tenantId: string): Promise<Attention> {
  const [row] = await db.$queryRaw<Omit<Attention, 'total'>[]>`
    SELECT
      (SELECT count(*) FROM operation r WHERE r.tenant_id = ${tenantId} AND r.escalated_at IS NOT NULL
        AND NOT EXISTS (SELECT FROM operation_assignment a WHERE a.tenant_id = r.tenant_id AND a.operation_id = r.id
          AND a.snoozed_until > clock_timestamp()))::int AS queue,
      (SELECT count(*) FROM reconciliation_exception
        WHERE tenant_id = ${tenantId} AND status = 'open')::int AS exceptions,
      ((SELECT count(*) FROM resolution_proposal WHERE tenant_id = ${tenantId} AND status = 'open')
        + (SELECT count(*) FROM refund_proposal WHERE tenant_id = ${tenantId} AND status = 'open')
        + (SELECT count(*) FROM (${unmadeProposals(tenantId)}) AS unmade))::int AS approvals,
      (SELECT count(*) FROM operation
        WHERE tenant_id = ${tenantId} AND operation = ANY(${operationNames}) AND status = 'unknown')::int AS unknown`;
  const { queue = 0, exceptions = 0, approvals = 0, unknown = 0 } = row ?? {};
  return { queue, exceptions, approvals, unknown, total: queue + exceptions + approvals };
}

/** The state of what resolves open operations. The provider and the workers serve all tenants. */
export async function readHealth(db: Db, tenantId: string, provider: string) {
  const [circuit, [row]] = await Promise.all([
    readCircuit(db, provider),
    db.$queryRaw<
      {
        workers: number;
        heartbeat_ms: number | null;
        lag_ms: number | null;
        overdue: number;
        exceptions: number;
      }[]
    >`
      SELECT
        (SELECT count(*) FROM worker_heartbeat
          WHERE seen_at > clock_timestamp() - ${heartbeatTimeoutMs}::int * interval '1 millisecond')::int AS workers,
        (SELECT extract(epoch FROM clock_timestamp() - max(seen_at)) * 1000 FROM worker_heartbeat)::float8 AS heartbeat_ms,
        due.lag_ms, due.overdue,
        (SELECT count(*) FROM reconciliation_exception WHERE tenant_id = ${tenantId} AND status = 'open')::int AS exceptions
      FROM (
        SELECT count(*)::int AS overdue,
          (extract(epoch FROM clock_timestamp() - min(next_check_at)) * 1000)::float8 AS lag_ms
        FROM operation
        WHERE tenant_id = ${tenantId} AND status = 'unknown' AND next_check_at <= clock_timestamp()) AS due`,
  ]);
  return {
    provider: circuit,
    workers: { alive: row?.workers ?? 0, heartbeatAgeMs: row?.heartbeat_ms ?? null },
    reconciliation: { overdue: row?.overdue ?? 0, lagMs: row?.lag_ms ?? 0 },
    exceptions: row?.exceptions ?? 0,
  };
}

import type { Currency, Money } from '#payments/money.ts';
import { money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { readCircuit } from '#reconciliation/index.ts';
import { kinds } from '../operations-list/operation-filter.ts';

type Db = Prisma.TransactionClient;

/** Operations that are not over, together: how many, how much money hangs on them, and since when the oldest waits. */
export interface OpenPile {
  readonly count: number;
  readonly money: readonly Money[];
  readonly oldestAgeMs: number | null;
}

interface PileRow {
  readonly currency: Currency | null;
  readonly count: number;
  readonly amount: bigint | null;
  readonly age: number;
}

/**
 * What is open, from the indexes that hold nothing else: the cost follows what is open, not what was ever paid. Ages are
 * since the claim for what is running, since the doubt for what is unknown, since the handing over for the queue.
 */
export async function readOpenPiles(db: Db, tenantId: string) {
  const [inProgress, unknown, queue] = await Promise.all([
    pile(db, tenantId, Prisma.sql`status = 'in_progress'`, Prisma.sql`created_at`),
    pile(db, tenantId, Prisma.sql`status = 'unknown'`, Prisma.sql`updated_at`),
    pile(db, tenantId, Prisma.sql`escalated_at IS NOT NULL`, Prisma.sql`escalated_at`),
  ]);
  return { inProgress, unknown, queue };
}

async function pile(db: Db, tenantId: string, which: Prisma.Sql, since: Prisma.Sql): Promise<OpenPile> {
  const rows = await db.$queryRaw<PileRow[]>`
    SELECT m.currency, count(*)::int AS count, sum(m.amount_minor)::bigint AS amount,
      max(extract(epoch FROM clock_timestamp() - r.since) * 1000)::float8 AS age
    FROM (
      SELECT id, ${since} AS since FROM idempotency_record
      WHERE tenant_id = ${tenantId} AND operation = ANY(${kinds}) AND ${which}) AS r
    LEFT JOIN LATERAL (
      SELECT currency, amount_minor FROM payment WHERE operation_id = r.id
      UNION ALL
      SELECT p.currency, f.amount_minor FROM refund f JOIN payment p ON p.id = f.payment_id WHERE f.operation_id = r.id
      LIMIT 1) AS m ON true
    GROUP BY m.currency ORDER BY m.currency`;
  return {
    count: rows.reduce((sum, row) => sum + row.count, 0),
    money: rows.flatMap(({ currency, amount }) =>
      currency && amount !== null ? [money(amount, currency)] : [],
    ),
    oldestAgeMs: rows.length === 0 ? null : Math.max(0, ...rows.map((row) => row.age)),
  };
}

/** Whether what looks after the open ones is in good health. The provider and the workers are everybody's. */
export async function readHealth(db: Db, tenantId: string, provider: string) {
  const [circuit, [row]] = await Promise.all([
    readCircuit(db, provider),
    db.$queryRaw<
      { workers: number; heartbeat_ms: number | null; lag_ms: number | null; overdue: number; late: number }[]
    >`
      SELECT
        (SELECT count(*) FROM worker_heartbeat WHERE seen_at > clock_timestamp() - interval '15 seconds')::int AS workers,
        (SELECT extract(epoch FROM clock_timestamp() - max(seen_at)) * 1000 FROM worker_heartbeat)::float8 AS heartbeat_ms,
        due.lag_ms, due.overdue,
        (SELECT count(*) FROM late_truth WHERE tenant_id = ${tenantId} AND status = 'open')::int AS late
      FROM (
        SELECT count(*)::int AS overdue,
          (extract(epoch FROM clock_timestamp() - min(reconcile_after)) * 1000)::float8 AS lag_ms
        FROM idempotency_record
        WHERE status = 'unknown' AND tenant_id = ${tenantId} AND reconcile_after <= clock_timestamp()) AS due`,
  ]);
  return {
    provider: circuit,
    workers: { alive: row?.workers ?? 0, lastHeardMs: row?.heartbeat_ms ?? null },
    reconciliation: { overdue: row?.overdue ?? 0, lagMs: row?.lag_ms ?? 0 },
    lateTruths: row?.late ?? 0,
  };
}

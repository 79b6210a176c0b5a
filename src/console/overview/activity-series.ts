import { kindOf, operationKinds } from '#payments/index.ts';
import { byOperation, type OperationName } from '#payments/operations/copy.ts';
import type { Prisma } from '#prisma';
import { percentileOf } from './duration-cells.ts';

const minuteMs = 60_000;

/** The time ranges of the charts. Each has 12 to 56 steps, enough to show a trend and few enough to hover over. */
export const ranges = {
  '1h': { spanMs: 60 * minuteMs, stepMs: 5 * minuteMs },
  '24h': { spanMs: 24 * 60 * minuteMs, stepMs: 30 * minuteMs },
  '7d': { spanMs: 7 * 24 * 60 * minuteMs, stepMs: 3 * 60 * minuteMs },
} as const;
export type Range = keyof typeof ranges;

/** The kinds of rows in `activity_bucket`, which the server's observers write. */
const activityKinds: readonly string[] = [
  ...operationKinds.map(({ metrics }) => metrics.activity),
  ...['replay', 'held', 'misuse', 'unknown', 'resolved'],
];

export interface ActivityStep {
  readonly at: string;
  /** By operation name. */
  readonly started: Readonly<Record<OperationName, number>>;
  readonly unknown: number;
  readonly replays: number;
  readonly held: number;
  readonly misuses: number;
  readonly resolved: number;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

interface Row {
  readonly kind: string;
  readonly step: Date;
  readonly le_ms: number;
  readonly count: number;
}

/** The range to show without a choice: the shortest that has all activity if it began just now, or else one that has some. */
export async function rangeWithData(db: Prisma.TransactionClient, tenantId: string): Promise<Range> {
  const [row] = await db.$queryRaw<{ oldest_ms: number | null; newest_ms: number | null }[]>`
    SELECT extract(epoch FROM clock_timestamp() - min(ends.oldest))::float8 * 1000 AS oldest_ms,
      extract(epoch FROM clock_timestamp() - max(ends.newest))::float8 * 1000 AS newest_ms
    FROM unnest(${activityKinds}::text[]) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT min(bucket_at) AS oldest, max(bucket_at) AS newest FROM activity_bucket
      WHERE tenant_id = ${tenantId} AND kind = wanted.kind) AS ends`;
  if (row?.oldest_ms == null || row.newest_ms == null) return '24h';
  if (row.oldest_ms < ranges['1h'].spanMs) return '1h';
  return row.newest_ms < ranges['24h'].spanMs ? '24h' : '7d';
}

/** A tenant's activity in equal steps up to now, by the database's clock. Steps without activity are included. */
export async function readActivity(db: Prisma.TransactionClient, tenantId: string, range: Range) {
  const { spanMs, stepMs } = ranges[range];
  const [[clock], rows] = await Promise.all([
    db.$queryRaw<{ last: Date }[]>`
      SELECT date_bin(${stepMs}::int * interval '1 millisecond', clock_timestamp(), 'epoch') AS last`,
    db.$queryRaw<Row[]>`
      SELECT kind, date_bin(${stepMs}::int * interval '1 millisecond', bucket_at, 'epoch') AS step, le_ms,
        sum(count)::int AS count
      FROM activity_bucket
      WHERE tenant_id = ${tenantId} AND kind = ANY(${activityKinds})
        AND bucket_at > clock_timestamp() - ${spanMs + stepMs}::bigint * interval '1 millisecond'
      GROUP BY kind, step, le_ms`,
  ]);
  if (!clock) throw new Error('A query without FROM has one row.');
  const byStep = Map.groupBy(rows, (row) => row.step.getTime());
  const steps: ActivityStep[] = [];
  for (let at = clock.last.getTime() - spanMs + stepMs; at <= clock.last.getTime(); at += stepMs) {
    steps.push(stepOf(at, byStep.get(at) ?? []));
  }
  return { range, stepMs, steps };
}

function stepOf(at: number, rows: readonly Row[]): ActivityStep {
  const count = (kind: string) => rows.reduce((sum, row) => (row.kind === kind ? sum + row.count : sum), 0);
  const cells = rows
    .filter(({ kind }) => kind === 'resolved')
    .map(({ le_ms: leMs, count }) => ({ leMs, count }));
  return {
    at: new Date(at).toISOString(),
    started: byOperation((name) => count(kindOf(name).metrics.activity)),
    unknown: count('unknown'),
    replays: count('replay'),
    held: count('held'),
    misuses: count('misuse'),
    resolved: count('resolved'),
    p50Ms: percentileOf(cells, 0.5) ?? null,
    p95Ms: percentileOf(cells, 0.95) ?? null,
  };
}

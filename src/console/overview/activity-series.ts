import { kindOf, operationKinds } from '#payments/index.ts';
import { byOperation, type OperationName } from '#payments/operations/copy.ts';
import type { Prisma } from '#prisma';
import { percentileOf } from './duration-cells.ts';

const minuteMs = 60_000;

/** How far back, and in what steps: enough of them to see a shape, few enough to point at one. */
export const ranges = {
  '1h': { spanMs: 60 * minuteMs, stepMs: 5 * minuteMs },
  '24h': { spanMs: 24 * 60 * minuteMs, stepMs: 30 * minuteMs },
  '7d': { spanMs: 7 * 24 * 60 * minuteMs, stepMs: 3 * 60 * minuteMs },
} as const;
export type Range = keyof typeof ranges;

/** What is counted for the charts. The server counts it as it happens and adds it to `activity_bucket`. */
const activityKinds: readonly string[] = [
  ...operationKinds.map(({ metrics }) => metrics.activity),
  ...['replay', 'held', 'misuse', 'unknown', 'resolved'],
];

export interface ActivityStep {
  readonly at: string;
  /** By operation. */
  readonly begun: Readonly<Record<OperationName, number>>;
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

/** A tenant's activity in even steps up to now, by the database's clock; steps in which nothing happened are there too. */
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
    begun: byOperation((name) => count(kindOf(name).metrics.activity)),
    unknown: count('unknown'),
    replays: count('replay'),
    held: count('held'),
    misuses: count('misuse'),
    resolved: count('resolved'),
    p50Ms: percentileOf(cells, 0.5) ?? null,
    p95Ms: percentileOf(cells, 0.95) ?? null,
  };
}

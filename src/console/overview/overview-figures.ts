import { Prisma } from '#prisma';
import { type Range, ranges } from './activity-series.ts';
import type { CappedCount } from '../operations-list/count-operations.ts';
import { candidatesSql, narrowingsOf } from '../operations-list/selective-filters.ts';
import { ago } from '../operations-list/operation-conditions.ts';
import { filterStatuses, type Kind } from '../operations-list/operation-filter.ts';

const { sql, join } = Prisma;
type Sql = Prisma.Sql;

/** Beyond this the chart says more than the number, and nobody pages through the list. */
export const figureLimit = 10_000;

/** What a link on the overview counts: as many rows as the list behind it has. */
export interface Figures {
  readonly payments: CappedCount;
  readonly refunds: CappedCount;
  readonly doubted: CappedCount;
  readonly known: CappedCount;
  readonly misused: CappedCount;
}

/**
 * Counted from the operations, with the very conditions of the lists that the figures lead to. The charts are drawn from
 * tallies instead, which count requests and keep no rows; two sources that nearly agree would make every difference a
 * riddle.
 */
export function figuresSql(tenantId: string, range: Range): Record<keyof Figures, Sql> {
  const minutes = ranges[range].spanMs / 60_000;
  const narrowed = (filter: Parameters<typeof narrowingsOf>[0]) =>
    join(
      narrowingsOf(filter, [tenantId]).map((narrowing) => candidatesSql(narrowing, figureLimit)),
      ' UNION ALL ',
    );
  return {
    payments: begunSql(tenantId, 'payment.create', minutes),
    refunds: begunSql(tenantId, 'refund.create', minutes),
    doubted: narrowed({ doubtedWithinMinutes: minutes, sort: 'newest' }),
    known: narrowed({ knownWithinMinutes: minutes, sort: 'newest' }),
    misused: narrowed({ misused: minutes, sort: 'newest' }),
  };
}

function begunSql(tenantId: string, kind: Kind, minutes: number): Sql {
  const branches = filterStatuses.map(
    (status) => sql`(SELECT id FROM idempotency_record
      WHERE tenant_id = ${tenantId} AND operation = ${kind} AND status = ${status} AND created_at > ${ago(minutes)}
      ORDER BY created_at DESC LIMIT ${figureLimit + 1})`,
  );
  return sql`SELECT id FROM (${join(branches, ' UNION ALL ')}) AS begun LIMIT ${figureLimit + 1}`;
}

export async function readFigures(
  db: Prisma.TransactionClient,
  tenantId: string,
  range: Range,
): Promise<Figures> {
  const statements = Object.entries(figuresSql(tenantId, range));
  const counts = statements.map(
    ([name, ids]) => sql`SELECT ${name} AS name, count(DISTINCT id)::int AS count FROM (${ids}) AS counted`,
  );
  const rows = await db.$queryRaw<{ name: keyof Figures; count: number }[]>(join(counts, ' UNION ALL '));
  return Object.fromEntries(
    rows.map(({ name, count }) => [
      name,
      { count: Math.min(count, figureLimit), capped: count > figureLimit },
    ]),
  ) as unknown as Figures;
}

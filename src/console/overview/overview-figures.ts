import { byOperation, type OperationName } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import type { CappedCount } from '../operations-list/count-operations.ts';
import { ago } from '../operations-list/operation-conditions.ts';
import { filterStatuses } from '../operations-list/operation-filter.ts';
import { candidatesSql, selectiveFiltersOf } from '../operations-list/selective-filters.ts';
import { type Range, ranges } from './activity-series.ts';

const { sql, join } = Prisma;
type Sql = Prisma.Sql;

/** Counting stops here: a longer list is not paged through, and the chart shows the trend. */
export const figureLimit = 10_000;

/** Each figure links to a list and is the number of its rows. */
export interface Figures {
  readonly started: Readonly<Record<OperationName, CappedCount>>;
  readonly becameUnknown: CappedCount;
  readonly resolved: CappedCount;
  readonly misused: CappedCount;
}

type EventFigure = Exclude<keyof Figures, 'started'>;

/**
 * Counted from the operations, with the conditions of the lists that the figures link to. The charts use
 * `activity_bucket`, which counts requests instead of rows, so a figure taken from it would not agree with its list.
 */
export function figuresSql(tenantId: string, range: Range): Record<OperationName | EventFigure, Sql> {
  const minutes = ranges[range].spanMs / 60_000;
  const matching = (filter: Parameters<typeof selectiveFiltersOf>[0]) =>
    join(
      selectiveFiltersOf(filter, [tenantId]).map((selectiveFilter) =>
        candidatesSql(selectiveFilter, figureLimit),
      ),
      ' UNION ALL ',
    );
  return {
    ...byOperation((name) => startedSql(tenantId, name, minutes)),
    becameUnknown: matching({ becameUnknownWithinMinutes: minutes, sort: 'newest' }),
    resolved: matching({ resolvedWithinMinutes: minutes, sort: 'newest' }),
    misused: matching({ misused: minutes, sort: 'newest' }),
  };
}

function startedSql(tenantId: string, kind: OperationName, minutes: number): Sql {
  const branches = filterStatuses.map(
    (status) => sql`(SELECT id FROM operation
      WHERE tenant_id = ${tenantId} AND operation = ${kind} AND status = ${status} AND created_at > ${ago(minutes)}
      ORDER BY created_at DESC LIMIT ${figureLimit + 1})`,
  );
  return sql`SELECT id FROM (${join(branches, ' UNION ALL ')}) AS started LIMIT ${figureLimit + 1}`;
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
  const rows = await db.$queryRaw<{ name: string; count: number }[]>(join(counts, ' UNION ALL '));
  const countOf = (name: OperationName | EventFigure): CappedCount => {
    const count = rows.find((row) => row.name === name)?.count ?? 0;
    return { count: Math.min(count, figureLimit), capped: count > figureLimit };
  };
  return {
    started: byOperation(countOf),
    becameUnknown: countOf('becameUnknown'),
    resolved: countOf('resolved'),
    misused: countOf('misused'),
  };
}

import { operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import { type FilterStatus, filterStatuses } from './operation-filter.ts';

/** The page shows "1,000+" beyond this, because an exact count would read the whole table. */
export const countLimit = 1_000;

export interface CappedCount {
  readonly count: number;
  readonly capped: boolean;
}

export type StatusCounts = Readonly<Record<FilterStatus, CappedCount>>;

/** Open operations are counted exactly: operators work through them, and there are few. */
const open: readonly FilterStatus[] = ['unknown', 'in_progress'];

export function countsSql(tenantIds: readonly string[]): Prisma.Sql {
  const scopes = tenantIds.flatMap((tenantId) => operationNames.map((kind) => ({ tenantId, kind })));
  const counts = filterStatuses.map((status) => {
    // Ordered like the index; without an order the planner may choose a sequential scan for the first rows.
    const limit = open.includes(status)
      ? Prisma.empty
      : Prisma.sql`ORDER BY created_at DESC LIMIT ${countLimit + 1}`;
    const branches = scopes.map(
      ({ tenantId, kind }) => Prisma.sql`(SELECT FROM operation
        WHERE tenant_id = ${tenantId} AND operation = ${kind} AND status = ${status} ${limit})`,
    );
    return Prisma.sql`
      SELECT ${status} AS status, count(*)::int AS count FROM (${Prisma.join(branches, ' UNION ALL ')}) AS counted`;
  });
  return Prisma.sql`${Prisma.join(counts, ' UNION ALL ')}`;
}

export async function countOperations(
  db: Prisma.TransactionClient,
  tenantIds: readonly string[],
): Promise<StatusCounts> {
  const rows = await db.$queryRaw<{ status: FilterStatus; count: number }[]>(countsSql(tenantIds));
  const counted = new Map(rows.map(({ status, count }) => [status, count]));
  return Object.fromEntries(
    filterStatuses.map((status) => {
      const count = counted.get(status) ?? 0;
      const capped = count > countLimit && !open.includes(status);
      return [status, { count: capped ? countLimit : count, capped }];
    }),
  ) as Record<FilterStatus, CappedCount>;
}

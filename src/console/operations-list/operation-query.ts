import type { OperationRef } from '#idempotency/index.ts';
import { Prisma } from '#prisma';
import { indexScanOf } from './index-scans.ts';
import { filterOf } from './operation-conditions.ts';
import { columns, details, nothingScanned } from './operation-details.ts';
import { keyset, micros, type Order, orderOf, type PageQuery } from './operation-order.ts';
import { selectiveFiltersOf } from './selective-filters.ts';

const { sql, join, empty } = Prisma;
type Sql = Prisma.Sql;

/** How many rows one page may scan. A thousand rows by their primary keys take a few milliseconds. */
export const scanLimit = 1_000;

/**
 * One page and one row more, which says whether there is another page: one statement whose cost does not depend on the
 * size of the table.
 *
 * The *index scan* reads an index that already has the order of the page and decides what the index knows. The rest of
 * the filter is decided row by row on at most `scanLimit` rows; when the page is not full by then, it says how far it
 * scanned and the next page goes on from there. So no filter reads more than that, and none skips a row.
 *
 * Where a selective filter has found few enough operations, they are given as `among` and sorted here.
 */
export function pageSql(query: PageQuery, among?: readonly OperationRef[]): Sql {
  const order = orderOf(query);
  const fits = selectiveFiltersOf(query.filter, query.tenantIds).map(
    (selectiveFilter) => selectiveFilter.fits,
  );
  const rest = sql`${filterOf(query.filter)} ${fits.length > 0 ? sql`AND ${join(fits, ' AND ')}` : empty}`;
  if (among) return sortedSql(query, order, rest, among);
  const scan = indexScanOf(query, order);
  const scanned = (limit: number) => sql`
    SELECT tenant_id, id, value FROM (${join(scan.branches, ' UNION ALL ')}) AS branch
    ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
  const withDetails = details(sql`scanned.tenant_id`, sql`scanned.id`);
  if (scan.exact && fits.length === 0) {
    return sql`
      SELECT ${columns(sql`scanned.value`, order.by)}, ${nothingScanned}
      FROM (${scanned(query.limit + 1)}) AS scanned ${withDetails}
      ORDER BY scanned.value ${order.direction}, scanned.id ${order.direction}`;
  }
  // How far it scanned is returned even when nothing was found.
  return sql`
    WITH scanned AS MATERIALIZED (${scanned(scanLimit)}),
    page AS (
      SELECT ${columns(sql`scanned.value`, order.by)}
      FROM scanned ${withDetails}
      WHERE true ${rest}
      ORDER BY scanned.value ${order.direction}, scanned.id ${order.direction} LIMIT ${query.limit + 1}),
    edge AS (
      SELECT count(*) OVER ()::int AS scanned, ${micros(sql`value`, order.by)} AS edge_value, id AS edge_id FROM scanned
      ORDER BY value ${order.reverse}, id ${order.reverse} LIMIT 1)
    SELECT page.*, edge.* FROM edge LEFT JOIN page ON true
    ORDER BY page.cursor_value ${order.direction}, page.id ${order.direction}`;
}

function sortedSql(query: PageQuery, order: Order, rest: Sql, among: readonly OperationRef[]): Sql {
  const value = { created: sql`r.created_at`, updated: sql`r.updated_at`, amount: sql`m.amount_minor` }[
    order.by
  ];
  return sql`
    SELECT ${columns(value, order.by)}, ${nothingScanned}
    FROM unnest(${among.map(({ tenantId }) => tenantId)}::text[], ${among.map(({ id }) => id)}::uuid[])
      AS among (tenant_id, id) ${details(sql`among.tenant_id`, sql`among.id`)}
    WHERE among.tenant_id = ANY(${query.tenantIds}) ${rest}
      ${order.by === 'amount' ? sql`AND m.amount_minor IS NOT NULL` : empty}
      ${keyset(query, value, sql`r.id`, order)}
    ORDER BY ${value} ${order.direction}, r.id ${order.direction} LIMIT ${query.limit + 1}`;
}

/** The rows of these ids, each by its primary key: as many lookups for each id as there are shops it may belong to. */
export function rowsSql(tenantIds: readonly string[], ids: readonly string[]): Sql {
  return sql`
    SELECT ${columns(sql`r.created_at`, 'created')}, ${nothingScanned}
    FROM unnest(${tenantIds}::text[]) AS shop (tenant_id) CROSS JOIN unnest(${ids}::uuid[]) AS wanted (id)
    ${details(sql`shop.tenant_id`, sql`wanted.id`)}`;
}

import type { OperationRef } from '#idempotency/index.ts';
import { Prisma } from '#prisma';
import { indexScanOf } from './index-scans.ts';
import { rowConditions } from './operation-conditions.ts';
import { columns, details, nothingScanned } from './operation-details.ts';
import { cursorValue, keyset, type Order, orderOf, type PageQuery } from './operation-order.ts';
import { selectiveFiltersOf } from './selective-filters.ts';

const { sql, join, empty } = Prisma;
type Sql = Prisma.Sql;

/** How many rows one page may scan. Reading a thousand rows by primary key takes a few milliseconds. */
export const scanLimit = 1_000;

/**
 * One page and one more row, which says whether there is a next page. The cost of the statement does not depend on the
 * size of the table.
 *
 * The *index scan* reads an index that is sorted like the page and applies the conditions that the index covers. The rest
 * of the filter is applied row by row to at most `scanLimit` rows. When the page is not full by then, the result says how
 * far the scan went, and the next page continues there. No filter reads more rows than that, and none skips a row.
 *
 * Where a selective filter matches few operations, they are passed as `candidates` and sorted here instead.
 */
export function pageSql(query: PageQuery, candidates?: readonly OperationRef[]): Sql {
  const order = orderOf(query);
  const selective = selectiveFiltersOf(query.filter, query.tenantIds).map(({ condition }) => condition);
  const rest = sql`${rowConditions(query.filter)} ${selective.length > 0 ? sql`AND ${join(selective, ' AND ')}` : empty}`;
  if (candidates) return sortedSql(query, order, rest, candidates);
  const scan = indexScanOf(query, order);
  const scanned = (limit: number) => sql`
    SELECT tenant_id, id, value FROM (${join(scan.branches, ' UNION ALL ')}) AS branch
    ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${limit}`;
  const withDetails = details(sql`scanned.tenant_id`, sql`scanned.id`);
  if (scan.exact && selective.length === 0) {
    return sql`
      SELECT ${columns(sql`scanned.value`, order.by)}, ${nothingScanned}
      FROM (${scanned(query.limit + 1)}) AS scanned ${withDetails}
      ORDER BY scanned.value ${order.direction}, scanned.id ${order.direction}`;
  }
  // The edge of the scan is returned even when nothing was found.
  return sql`
    WITH scanned AS MATERIALIZED (${scanned(scanLimit)}),
    page AS (
      SELECT ${columns(sql`scanned.value`, order.by)}
      FROM scanned ${withDetails}
      WHERE true ${rest}
      ORDER BY scanned.value ${order.direction}, scanned.id ${order.direction} LIMIT ${query.limit + 1}),
    edge AS (
      SELECT count(*) OVER ()::int AS scanned, ${cursorValue(sql`value`, order.by)} AS edge_value, id AS edge_id FROM scanned
      ORDER BY value ${order.reverse}, id ${order.reverse} LIMIT 1)
    SELECT page.*, edge.* FROM edge LEFT JOIN page ON true
    ORDER BY page.cursor_value ${order.direction}, page.id ${order.direction}`;
}

function sortedSql(query: PageQuery, order: Order, rest: Sql, candidates: readonly OperationRef[]): Sql {
  const value = { created: sql`r.created_at`, unknown: sql`r.unknown_since`, amount: sql`m.amount_minor` }[
    order.by
  ];
  return sql`
    SELECT ${columns(value, order.by)}, ${nothingScanned}
    FROM unnest(${candidates.map(({ tenantId }) => tenantId)}::text[], ${candidates.map(({ id }) => id)}::uuid[])
      AS candidate (tenant_id, id) ${details(sql`candidate.tenant_id`, sql`candidate.id`)}
    WHERE candidate.tenant_id = ANY(${query.tenantIds}) ${rest}
      ${order.by === 'amount' ? sql`AND m.amount_minor IS NOT NULL` : empty}
      ${keyset(query, value, sql`r.id`, order)}
    ORDER BY ${value} ${order.direction}, r.id ${order.direction} LIMIT ${query.limit + 1}`;
}

/** Rows by id. Each id costs one primary-key lookup per shop, because the id does not say which shop it belongs to. */
export function rowsSql(tenantIds: readonly string[], ids: readonly string[]): Sql {
  return sql`
    SELECT ${columns(sql`r.created_at`, 'created')}, ${nothingScanned}
    FROM unnest(${tenantIds}::text[]) AS shop (tenant_id) CROSS JOIN unnest(${ids}::uuid[]) AS wanted (id)
    ${details(sql`shop.tenant_id`, sql`wanted.id`)}`;
}

import { Prisma } from '#prisma';
import { narrowingsOf } from './selective-filters.ts';
import { filterOf } from './operation-conditions.ts';
import { columns, details, nothingLooked } from './operation-details.ts';
import { driverOf } from './index-scans.ts';
import { keyset, micros, type Order, orderOf, type PageQuery } from './operation-order.ts';

const { sql, join, empty } = Prisma;
type Sql = Prisma.Sql;

/** What one page may look at. A thousand rows by their ids are a few milliseconds. */
export const lookLimit = 1_000;

/**
 * One page and one row more, which says whether there is another page: one statement whose cost does not depend on the
 * size of the table.
 *
 * It has two halves. The *driver* walks an index that already has the order of the page. What the index knows is
 * decided there. What it does not know (the rest of the filter) is decided row by row on at most `lookLimit` rows; when
 * the page is not full by then, it says how far it looked and the next page goes on from there. So there is no filter,
 * however odd, that reads more than that, and none that passes over a row in silence.
 *
 * Where one of the narrowings has found few enough, they are given as `among` and put into order afterwards.
 */
export function pageSql(query: PageQuery, among?: readonly string[]): Sql {
  const order = orderOf(query);
  const fits = narrowingsOf(query.filter, query.tenantIds).map((narrowing) => narrowing.fits);
  const rest = sql`${filterOf(query.filter)} ${fits.length > 0 ? sql`AND ${join(fits, ' AND ')}` : empty}`;
  if (among) return sortedSql(query, order, rest, among);
  const driver = driverOf(query, order);
  const walked = (look: number) => sql`
    SELECT id, value FROM (${join(driver.branches, ' UNION ALL ')}) AS branch
    ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${look}`;
  if (driver.exact && fits.length === 0) {
    return sql`
      SELECT ${columns(sql`looked.value`, order.by)}, ${nothingLooked}
      FROM (${walked(query.limit + 1)}) AS looked ${details(sql`looked.id`)}
      ORDER BY looked.value ${order.direction}, looked.id ${order.direction}`;
  }
  // How far it looked is told even when nothing was found.
  return sql`
    WITH looked AS MATERIALIZED (${walked(lookLimit)}),
    page AS (
      SELECT ${columns(sql`looked.value`, order.by)}
      FROM looked ${details(sql`looked.id`)}
      WHERE true ${rest}
      ORDER BY looked.value ${order.direction}, looked.id ${order.direction} LIMIT ${query.limit + 1}),
    edge AS (
      SELECT count(*) OVER ()::int AS looked, ${micros(sql`value`, order.by)} AS edge_value, id AS edge_id FROM looked
      ORDER BY value ${order.reverse}, id ${order.reverse} LIMIT 1)
    SELECT page.*, edge.* FROM edge LEFT JOIN page ON true
    ORDER BY page.cursor_value ${order.direction}, page.id ${order.direction}`;
}

function sortedSql(query: PageQuery, order: Order, rest: Sql, ids: readonly string[]): Sql {
  const value = { created: sql`r.created_at`, updated: sql`r.updated_at`, amount: sql`m.amount_minor` }[
    order.by
  ];
  return sql`
    SELECT ${columns(value, order.by)}, ${nothingLooked}
    FROM unnest(${ids}::uuid[]) AS among (id) ${details(sql`among.id`)}
    WHERE r.tenant_id = ANY(${query.tenantIds}) ${rest}
      ${order.by === 'amount' ? sql`AND m.amount_minor IS NOT NULL` : empty}
      ${keyset(query, value, sql`r.id`, order)}
    ORDER BY ${value} ${order.direction}, r.id ${order.direction} LIMIT ${query.limit + 1}`;
}

/** The rows of these ids, each by its primary key. */
export function rowsSql(tenantIds: readonly string[], ids: readonly string[]): Sql {
  return sql`
    SELECT ${columns(sql`r.created_at`, 'created')}, ${nothingLooked}
    FROM unnest(${ids}::uuid[]) AS wanted (id) ${details(sql`wanted.id`)}
    WHERE r.tenant_id = ANY(${tenantIds})`;
}

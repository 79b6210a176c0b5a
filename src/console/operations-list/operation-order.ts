import { Prisma } from '#prisma';
import { instantOf } from '../paging/cursor.ts';
import type { Seek } from '../paging/keyset-page.ts';
import type { OperationFilter } from './operation-filter.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/** A requested page: its filter, its length, and where it begins. */
export interface PageQuery {
  readonly tenantIds: readonly string[];
  readonly filter: OperationFilter;
  readonly limit: number;
  readonly seek?: Seek | undefined;
}

export type SortBy = 'created' | 'unknown' | 'amount';

export interface Order {
  readonly by: SortBy;
  readonly direction: Sql;
  readonly reverse: Sql;
  readonly descending: boolean;
}

export function orderOf({ filter, seek }: PageQuery): Order {
  const by: SortBy = filter.sort === 'amount' ? 'amount' : filter.sort === 'unknown' ? 'unknown' : 'created';
  return scanOrder(by, filter.sort === 'newest' || filter.sort === 'amount', seek);
}

/** The order in which a page is scanned. The page before a cursor is the page after it in the opposite order. */
export function scanOrder(by: SortBy, newestFirst: boolean, seek: Seek | undefined): Order {
  const descending = seek?.side === 'before' ? !newestFirst : newestFirst;
  return {
    by,
    descending,
    direction: descending ? sql`DESC` : sql`ASC`,
    reverse: descending ? sql`ASC` : sql`DESC`,
  };
}

/** The condition for rows beyond the cursor. */
export function keyset({ seek }: Pick<PageQuery, 'seek'>, value: Sql, id: Sql, order: Order): Sql {
  if (!seek) return empty;
  const { cursor } = seek;
  const start =
    order.by === 'amount' ? sql`${cursor.value}::bigint` : sql`${instantOf(cursor.value)}::timestamptz`;
  return sql`AND (${value}, ${id}) ${order.descending ? sql`<` : sql`>`} (${start}, ${cursor.id}::uuid)`;
}

/** The sort value as it is stored in a cursor: minor units, or microseconds since 1970. */
export function cursorValue(value: Sql, by: SortBy): Sql {
  return by === 'amount' ? sql`${value}::bigint` : sql`(extract(epoch FROM ${value}) * 1000000)::bigint`;
}

import { Prisma } from '#prisma';
import { instantOf } from '../paging/cursor.ts';
import type { At } from '../paging/keyset-page.ts';
import type { OperationFilter } from './operation-filter.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/** A page that somebody asks for: what is in it, how long it is, and where it begins. */
export interface PageQuery {
  readonly tenantIds: readonly string[];
  readonly filter: OperationFilter;
  readonly limit: number;
  readonly at?: At | undefined;
}

export type By = 'created' | 'updated' | 'amount';

export interface Order {
  readonly by: By;
  readonly direction: Sql;
  readonly reverse: Sql;
  readonly descending: boolean;
}

export function orderOf({ filter, at }: PageQuery): Order {
  const by: By = filter.sort === 'amount' ? 'amount' : filter.sort === 'unknown' ? 'updated' : 'created';
  return towards(by, filter.sort === 'newest' || filter.sort === 'amount', at);
}

/** The way in which a page is read. */
export function towards(by: By, forward: boolean, at: At | undefined): Order {
  // The page before a cursor is the page after it in the opposite order.
  const descending = at?.side === 'before' ? !forward : forward;
  return {
    by,
    descending,
    direction: descending ? sql`DESC` : sql`ASC`,
    reverse: descending ? sql`ASC` : sql`DESC`,
  };
}

/** What lies beyond the cursor. */
export function keyset({ at }: { readonly at?: At | undefined }, value: Sql, id: Sql, order: Order): Sql {
  if (!at) return empty;
  const { cursor } = at;
  const place =
    order.by === 'amount' ? sql`${cursor.value}::bigint` : sql`${instantOf(cursor.value)}::timestamptz`;
  return sql`AND (${value}, ${id}) ${order.descending ? sql`<` : sql`>`} (${place}, ${cursor.id}::uuid)`;
}

/** A value of the order as a cursor holds it. */
export function micros(value: Sql, by: By): Sql {
  return by === 'amount' ? sql`${value}::bigint` : sql`(extract(epoch FROM ${value}) * 1000000)::bigint`;
}

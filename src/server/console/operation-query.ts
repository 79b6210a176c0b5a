import { Prisma } from '#prisma';
import { type Cursor, instantOf } from './operation-cursor.ts';
import {
  type FilterStatus,
  filterStatuses,
  type Kind,
  kinds,
  type OperationFilter,
} from './operation-filter.ts';
import { candidates } from './operation-search.ts';

const { sql, join, empty } = Prisma;
type Sql = Prisma.Sql;

/**
 * A page of the list as one statement whose cost does not depend on the size of the table.
 *
 * It has two halves. The *driver* walks an index that already has the order of the page, one branch for each
 * combination of shop, kind and status, merged, from the cursor on. What the index knows is decided there. What it does
 * not know (the rest of the filter) is decided row by row on at most `lookLimit` rows; when the page is not full by
 * then, it says how far it looked and the next page goes on from there. So there is no filter, however odd, that reads
 * more than that.
 *
 * Amounts are the payment's, not the record's: sorted by amount, the payments' own index drives.
 */
export interface PageQuery {
  readonly tenantIds: readonly string[];
  readonly filter: OperationFilter;
  readonly limit: number;
  readonly at?: { readonly cursor: Cursor; readonly side: 'after' | 'before' } | undefined;
}

/** What one page may look at. A thousand rows by their ids are a few milliseconds. */
export const lookLimit = 1_000;

/** One page and one row more, which says whether there is another page. */
export function pageSql(query: PageQuery): Sql {
  const { filter, limit } = query;
  const looked = candidates(filter, query.tenantIds);
  const order = orderOf(query);
  if (looked) {
    // A handful that was found by name: put into order afterwards.
    const value = { created: sql`r.created_at`, updated: sql`r.updated_at`, amount: sql`m.amount_minor` }[
      order.by
    ];
    return sql`
      WITH looked AS (${looked})
      SELECT ${columns(value, order.by)}, ${nothingLooked}
      FROM looked ${details(sql`looked.id`)}
      WHERE r.tenant_id = ANY(${query.tenantIds}) ${filterOf(filter)}
        ${order.by === 'amount' ? sql`AND m.amount_minor IS NOT NULL` : empty}
        ${keyset(query, value, sql`r.id`, order)}
      ORDER BY ${value} ${order.direction}, r.id ${order.direction} LIMIT ${limit + 1}`;
  }
  const driver = driverOf(query, order);
  const walked = (look: number) => sql`
    SELECT id, value FROM (${join(driver.branches, ' UNION ALL ')}) AS branch
    ORDER BY value ${order.direction}, id ${order.direction} LIMIT ${look}`;
  if (driver.exact) {
    return sql`
      SELECT ${columns(sql`looked.value`, order.by)}, ${nothingLooked}
      FROM (${walked(limit + 1)}) AS looked ${details(sql`looked.id`)}
      ORDER BY looked.value ${order.direction}, looked.id ${order.direction}`;
  }
  // How far it looked is told even when nothing was found.
  return sql`
    WITH looked AS MATERIALIZED (${walked(lookLimit)}),
    page AS (
      SELECT ${columns(sql`looked.value`, order.by)}
      FROM looked ${details(sql`looked.id`)}
      WHERE true ${filterOf(filter)}
      ORDER BY looked.value ${order.direction}, looked.id ${order.direction} LIMIT ${limit + 1}),
    edge AS (
      SELECT count(*) OVER ()::int AS looked, ${micros(sql`value`, order.by)} AS edge_value, id AS edge_id FROM looked
      ORDER BY value ${order.reverse}, id ${order.reverse} LIMIT 1)
    SELECT page.*, edge.* FROM edge LEFT JOIN page ON true
    ORDER BY page.cursor_value ${order.direction}, page.id ${order.direction}`;
}

const nothingLooked = sql`0 AS looked, NULL::bigint AS edge_value, NULL::uuid AS edge_id`;

type By = 'created' | 'updated' | 'amount';

interface Order {
  readonly by: By;
  readonly direction: Sql;
  readonly reverse: Sql;
  readonly descending: boolean;
}

function orderOf({ filter, at }: PageQuery): Order {
  const by: By = filter.sort === 'amount' ? 'amount' : filter.sort === 'unknown' ? 'updated' : 'created';
  const forward = filter.sort === 'newest' || filter.sort === 'amount';
  // The page before a cursor is the page after it in the opposite order.
  const descending = at?.side === 'before' ? !forward : forward;
  return {
    by,
    descending,
    direction: descending ? sql`DESC` : sql`ASC`,
    reverse: descending ? sql`ASC` : sql`DESC`,
  };
}

interface Driver {
  readonly branches: readonly Sql[];
  /** The index decides the whole filter. */
  readonly exact: boolean;
}

function driverOf(query: PageQuery, order: Order): Driver {
  const { filter, tenantIds } = query;
  const wantedKinds = filter.kind ? [filter.kind] : kinds;
  const wantedStatuses = filter.status ? [filter.status] : filterStatuses;
  if (order.by === 'amount') return amountDriver(query, order, wantedKinds, wantedStatuses);

  const plain =
    filter.outcome === undefined && filter.minMinor === undefined && filter.maxMinor === undefined;
  const places = tenantIds.flatMap((tenantId) => wantedKinds.map((kind) => ({ tenantId, kind })));
  const place = ({ tenantId, kind }: (typeof places)[number]) =>
    sql`tenant_id = ${tenantId} AND operation = ${kind}`;
  const rest = (value: Sql) => sql`${keyset(query, value, sql`id`, order)}
    ORDER BY ${value} ${order.direction}, id ${order.direction}`;

  if (order.by === 'updated') {
    return {
      exact: plain && !filter.escalated && !filter.errorCode && !hasAge(filter) && !filter.currency,
      branches: places.map(
        (one) => sql`(SELECT id, updated_at AS value FROM idempotency_record
          WHERE ${place(one)} AND status = 'unknown' ${rest(sql`updated_at`)})`,
      ),
    };
  }
  if (filter.escalated) {
    return {
      exact: plain && !filter.errorCode && !filter.currency,
      branches: places.map(
        (one) => sql`(SELECT id, created_at AS value FROM idempotency_record
          WHERE ${place(one)} AND escalated_at IS NOT NULL ${age(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    };
  }
  const { errorCode } = filter;
  const trouble = errorCode ? sql`AND last_error_code = ${errorCode}` : empty;
  return {
    exact: plain && !filter.currency,
    branches: places.flatMap((one) =>
      wantedStatuses.map(
        (status) => sql`(SELECT id, created_at AS value FROM idempotency_record
          WHERE ${place(one)} AND status = ${status} ${trouble} ${age(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    ),
  };
}

/** The statuses a payment can have while its record has one. More would only be looked at in vain; fewer would hide. */
const paymentStatuses: Record<FilterStatus, readonly string[]> = {
  in_progress: ['pending', 'released'],
  unknown: ['pending'],
  completed: ['succeeded', 'declined'],
  failed_retryable: ['released'],
  expired: ['succeeded', 'declined', 'released'],
};

function amountDriver(
  query: PageQuery,
  order: Order,
  wantedKinds: readonly Kind[],
  wantedStatuses: readonly FilterStatus[],
): Driver {
  const { filter, tenantIds } = query;
  const moneyStatuses = [...new Set(wantedStatuses.flatMap((status) => paymentStatuses[status]))];
  const rest = sql`${range(filter, sql`amount_minor`)} ${keyset(query, sql`amount_minor`, sql`operation_id`, order)}
    ORDER BY amount_minor ${order.direction}, operation_id ${order.direction}`;
  const branches = tenantIds.flatMap((tenantId) =>
    moneyStatuses.flatMap((status) => [
      ...(wantedKinds.includes('payment.create')
        ? [
            sql`(SELECT operation_id AS id, amount_minor AS value FROM payment
              WHERE tenant_id = ${tenantId} AND currency = ${filter.currency} AND status = ${status} ${rest})`,
          ]
        : []),
      // A refund is in the currency of its payment, which is looked at row by row: most shops have one.
      ...(wantedKinds.includes('refund.create') && status !== 'declined'
        ? [
            sql`(SELECT operation_id AS id, amount_minor AS value FROM refund
              WHERE tenant_id = ${tenantId} AND status = ${status} ${rest})`,
          ]
        : []),
    ]),
  );
  // Only refunds of something declined: there are none, and an empty list of branches is no SQL.
  const none = sql`(SELECT operation_id AS id, amount_minor AS value FROM payment WHERE false)`;
  return { branches: branches.length > 0 ? branches : [none], exact: false };
}

function keyset(query: PageQuery, value: Sql, id: Sql, order: Order): Sql {
  if (!query.at) return empty;
  const { cursor } = query.at;
  const place =
    order.by === 'amount' ? sql`${cursor.value}::bigint` : sql`${instantOf(cursor.value)}::timestamptz`;
  return sql`AND (${value}, ${id}) ${order.descending ? sql`<` : sql`>`} (${place}, ${cursor.id}::uuid)`;
}

/** The whole filter, on a row that is before us. */
function filterOf(filter: OperationFilter): Sql {
  return sql`
    ${filter.status ? sql`AND r.status = ${filter.status}` : empty}
    ${filter.kind ? sql`AND r.operation = ${filter.kind}` : empty}
    ${filter.escalated ? sql`AND r.escalated_at IS NOT NULL` : empty}
    ${filter.errorCode ? sql`AND r.last_error_code = ${filter.errorCode}` : empty}
    ${filter.outcome ? sql`AND m.status = ${filter.outcome}` : empty}
    ${filter.currency ? sql`AND m.currency = ${filter.currency}` : empty}
    ${range(filter, sql`m.amount_minor`)} ${age(filter, sql`r.created_at`)}`;
}

function range({ minMinor, maxMinor }: OperationFilter, amount: Sql): Sql {
  return sql`
    ${minMinor === undefined ? empty : sql`AND ${amount} >= ${minMinor}::bigint`}
    ${maxMinor === undefined ? empty : sql`AND ${amount} <= ${maxMinor}::bigint`}`;
}

function hasAge({ olderThanMinutes, youngerThanMinutes }: OperationFilter): boolean {
  return olderThanMinutes !== undefined || youngerThanMinutes !== undefined;
}

/** now(), not clock_timestamp(): it stands still within the statement, so an index can be asked with it. */
function age({ olderThanMinutes, youngerThanMinutes }: OperationFilter, at: Sql): Sql {
  const ago = (minutes: number) => sql`now() - ${minutes}::int * interval '1 minute'`;
  return sql`
    ${olderThanMinutes === undefined ? empty : sql`AND ${at} <= ${ago(olderThanMinutes)}`}
    ${youngerThanMinutes === undefined ? empty : sql`AND ${at} > ${ago(youngerThanMinutes)}`}`;
}

/** What belongs to a row, each by its own index. The limits keep the planner from reading whole tables instead. */
function details(id: Sql): Sql {
  return sql`
    CROSS JOIN LATERAL (SELECT * FROM idempotency_record WHERE id = ${id} LIMIT 1) AS r
    LEFT JOIN LATERAL (
      SELECT id AS payment_id, reference, amount_minor, currency, status, decline_code, provider_intent_id
        FROM payment WHERE operation_id = ${id}
      UNION ALL
      SELECT p.id, p.reference, f.amount_minor, p.currency, f.status, NULL, p.provider_intent_id
        FROM refund f JOIN payment p ON p.id = f.payment_id WHERE f.operation_id = ${id}
      LIMIT 1) AS m ON true
    LEFT JOIN LATERAL (SELECT sum(times)::int AS count FROM key_misuse WHERE record_id = ${id}) AS misuse ON true`;
}

function columns(value: Sql, by: By): Sql {
  return sql`r.id, r.tenant_id, r.operation, r.key, r.status, r.attempt, r.recovery_point, r.last_error_code,
    r.escalated_at, r.reconcile_attempts, r.reconcile_after, r.created_at, r.updated_at,
    m.payment_id, m.reference, m.amount_minor, m.currency, m.status AS money_status, m.decline_code,
    m.provider_intent_id, coalesce(misuse.count, 0) AS misuses, ${micros(value, by)} AS cursor_value`;
}

function micros(value: Sql, by: By): Sql {
  return by === 'amount' ? sql`${value}::bigint` : sql`(extract(epoch FROM ${value}) * 1000000)::bigint`;
}

/** What a statement of `pageSql` gives. Without an id: nothing was found, and this is how far it looked. */
export interface PageRow {
  readonly id: string | null;
  readonly tenant_id: string;
  readonly operation: string;
  readonly key: string;
  readonly status: FilterStatus;
  readonly attempt: number;
  readonly recovery_point: string;
  readonly last_error_code: string | null;
  readonly escalated_at: Date | null;
  readonly reconcile_attempts: number;
  readonly reconcile_after: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly amount_minor: bigint | null;
  readonly currency: string | null;
  readonly money_status: string | null;
  readonly decline_code: string | null;
  readonly provider_intent_id: string | null;
  readonly misuses: number;
  readonly cursor_value: bigint;
  readonly looked: number;
  readonly edge_value: bigint | null;
  readonly edge_id: string | null;
}

/** The rows of these ids, each by its primary key. */
export function rowsSql(tenantIds: readonly string[], ids: readonly string[]): Sql {
  return sql`
    SELECT ${columns(sql`r.created_at`, 'created')}, ${nothingLooked}
    FROM unnest(${ids}::uuid[]) AS wanted (id) ${details(sql`wanted.id`)}
    WHERE r.tenant_id = ANY(${tenantIds})`;
}

import { isHoldingChargeSql } from '#payments/index.ts';
import { Prisma } from '#prisma';
import { dayRange } from '../operations-list/operation-conditions.ts';
import { cursorValue, keyset, type Order, scanOrder } from '../operations-list/operation-order.ts';
import { readSearch } from '../operations-list/search-terms.ts';
import { beginsWith } from '../operations-list/selective-filters.ts';
import type { Seek } from '../paging/keyset-page.ts';
import type { PaymentFilter, PaymentOutcome } from './payment-filter.ts';

const { sql, join, empty, raw } = Prisma;
type Sql = Prisma.Sql;

export interface PaymentPageQuery {
  readonly tenantId: string;
  readonly filter: PaymentFilter;
  readonly limit: number;
  readonly seek?: Seek | undefined;
}

/** How many payments one page may read. */
export const paymentScanLimit = 1_000;

/** What refunds whose outcome is not known yet have taken of a payment: it is part of `refunded_minor`. */
const pendingMinor = (payment: Sql) => sql`(
  SELECT coalesce(sum(amount_minor), 0)::bigint FROM refund
  WHERE tenant_id = ${payment}.tenant_id AND payment_id = ${payment}.id AND status = 'pending')`;

const statusesOf: Record<PaymentOutcome, readonly string[]> = {
  paid: ['succeeded'],
  refunded: ['succeeded'],
  refund_unknown: ['succeeded'],
  declined: ['declined'],
  unknown: ['pending'],
  not_charged: ['released'],
  found_charged: ['declined', 'released'],
};

/**
 * Whether a payment that ended unpaid has taken money, which only its exception says. It is looked up for each payment that is
 * read: without OFFSET all exceptions would be read for a page.
 */
const foundCharged = (payment: Sql) => sql`(${payment}.status = ANY(${statusesOf.found_charged}) AND EXISTS (
  SELECT FROM reconciliation_exception found
  WHERE found.tenant_id = ${payment}.tenant_id AND found.payment_id = ${payment}.id AND ${raw(isHoldingChargeSql)} OFFSET 0))`;

/**
 * One page and one more payment, which says whether there is a next page; and how far was read. The index that has the
 * order of the page is read from the cursor on, one branch for each status. The rest of the filter is decided row by row,
 * on at most `paymentScanLimit` payments, so the cost does not depend on how many there are.
 */
export function paymentPageSql(query: PaymentPageQuery, ids?: readonly string[]): Sql {
  const order = scanOrder('created', true, query.seek);
  const { filter } = query;
  const range = sql`${dayRange(filter, sql`created_at`)} ${keyset(query, sql`created_at`, sql`id`, order)}`;
  const scan = ids
    ? sql`SELECT * FROM payment WHERE tenant_id = ${query.tenantId} AND id = ANY(${ids}::uuid[]) ${range} ${ordered(order)}`
    : sql`
      SELECT * FROM (${join(branches(query, range, order), ' UNION ALL ')}) AS branch
      ${ordered(order)} LIMIT ${paymentScanLimit}`;
  return sql`
    WITH scanned AS MATERIALIZED (${scan}),
    page AS (
      SELECT *, ${cursorValue(sql`created_at`, 'created')} AS cursor_value FROM scanned
      WHERE true ${conditions(filter)} ${ids ? empty : searchCondition(filter)} ${ordered(order)} LIMIT ${query.limit + 1}),
    edge AS (
      SELECT count(*) OVER ()::int AS scanned, ${cursorValue(sql`created_at`, 'created')} AS edge_value, id AS edge_id
      FROM scanned ORDER BY created_at ${order.reverse}, id ${order.reverse} LIMIT 1)
    SELECT page.*, ${pendingMinor(sql`page`)} AS pending_minor, ${foundCharged(sql`page`)} AS found_charged, edge.*
    FROM edge LEFT JOIN page ON true
    ORDER BY page.created_at ${order.direction}, page.id ${order.direction}`;
}

function branches({ tenantId, filter }: PaymentPageQuery, range: Sql, order: Order): Sql[] {
  const end = sql`${range} ${ordered(order)} LIMIT ${paymentScanLimit}`;
  // The partial index over refunded payments: few are, and they are spread over the whole table.
  if (filter.outcome === 'refunded' || filter.outcome === 'refund_unknown') {
    return [sql`(SELECT * FROM payment WHERE tenant_id = ${tenantId} AND refunded_minor > 0 ${end})`];
  }
  // The exceptions of the shop: few payments have one, and they are spread over the whole table too.
  if (filter.outcome === 'found_charged') {
    return [
      sql`(SELECT * FROM payment WHERE tenant_id = ${tenantId} AND status = ANY(${statusesOf.found_charged}) AND id IN (
        SELECT found.payment_id FROM reconciliation_exception found
        WHERE found.tenant_id = ${tenantId} AND ${raw(isHoldingChargeSql)}) ${end})`,
    ];
  }
  const statuses = filter.outcome
    ? statusesOf[filter.outcome]
    : [...new Set(Object.values(statusesOf).flat())];
  return statuses.map(
    (status) => sql`(SELECT * FROM payment WHERE tenant_id = ${tenantId} AND status = ${status} ${end})`,
  );
}

function ordered({ direction }: Order): Sql {
  return sql`ORDER BY created_at ${direction}, id ${direction}`;
}

function conditions(filter: PaymentFilter): Sql {
  const { outcome, currency, minMinor, maxMinor, last4 } = filter;
  return sql`
    ${outcome ? sql`AND status = ANY(${statusesOf[outcome]})` : empty}
    ${outcome === 'declined' || outcome === 'not_charged' ? sql`AND NOT ${foundCharged(sql`scanned`)}` : empty}
    ${outcome === 'found_charged' ? sql`AND ${foundCharged(sql`scanned`)}` : empty}
    ${outcome === 'paid' ? sql`AND refunded_minor = 0` : empty}
    ${outcome === 'refunded' ? sql`AND refunded_minor > 0 AND ${pendingMinor(sql`scanned`)} = 0` : empty}
    ${outcome === 'refund_unknown' ? sql`AND refunded_minor > 0 AND ${pendingMinor(sql`scanned`)} > 0` : empty}
    ${currency ? sql`AND currency = ${currency}` : empty}
    ${minMinor === undefined ? empty : sql`AND amount_minor >= ${minMinor}`}
    ${maxMinor === undefined ? empty : sql`AND amount_minor <= ${maxMinor}`}
    ${last4 ? sql`AND card_last4 = ${last4}` : empty}`;
}

/** Ids of payments that a search may mean, each term by an index: one more than `limit` says that there are more. */
export function paymentSearchSql(tenantId: string, search: string, limit: number): Sql {
  const found = (condition: Sql, order = empty) =>
    sql`(SELECT id FROM payment WHERE tenant_id = ${tenantId} AND ${condition} ${order} LIMIT ${limit + 1})`;
  const terms = readSearch(search);
  const parts = [
    sql`(SELECT NULL::uuid AS id)`,
    ...(terms.uuid
      ? [found(sql`id = ${terms.uuid}::uuid`), found(sql`operation_id = ${terms.uuid}::uuid`)]
      : []),
    ...(terms.intentId ? [found(sql`provider_intent_id = ${terms.intentId}`)] : []),
    ...(terms.chargeId
      ? [found(sql`provider_charge_id = ${terms.chargeId} AND provider_charge_id IS NOT NULL`)]
      : []),
    ...(terms.email
      ? [
          found(
            sql`lower(receipt_email) = ${terms.email} AND receipt_email IS NOT NULL`,
            sql`ORDER BY created_at DESC`,
          ),
        ]
      : []),
    ...(terms.references ?? []).map((one) =>
      found(beginsWith(sql`reference`, one), sql`ORDER BY tenant_id, reference`),
    ),
  ];
  return sql`SELECT DISTINCT id FROM (${join(parts, ' UNION ALL ')}) AS found WHERE id IS NOT NULL LIMIT ${limit + 1}`;
}

/** The same as a condition on a row, for a search that matches more payments than can be sorted. */
function searchCondition({ search }: PaymentFilter): Sql {
  if (search === undefined) return empty;
  const terms = readSearch(search);
  const any = [
    sql`false`,
    ...(terms.uuid ? [sql`id = ${terms.uuid}::uuid`, sql`operation_id = ${terms.uuid}::uuid`] : []),
    ...(terms.intentId ? [sql`provider_intent_id = ${terms.intentId}`] : []),
    ...(terms.chargeId ? [sql`provider_charge_id = ${terms.chargeId}`] : []),
    ...(terms.email ? [sql`lower(receipt_email) = ${terms.email}`] : []),
    ...(terms.references ?? []).map((one) => sql`(${beginsWith(sql`reference`, one)})`),
  ];
  return sql`AND (${join(any, ' OR ')})`;
}

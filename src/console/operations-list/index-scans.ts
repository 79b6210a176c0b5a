import { Prisma } from '#prisma';
import { age, hasAge, isOfTheRecord, range } from './operation-conditions.ts';
import { type FilterStatus, filterStatuses, type Kind, kinds } from './operation-filter.ts';
import { keyset, type Order, type PageQuery } from './operation-order.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/**
 * A scan of an index that already has the order of a page, from its cursor on: one branch for each combination of shop,
 * kind and status, to be merged. Each branch gives tenant_id, id and the value of the order.
 *
 * Amounts are the payment's, not the record's: sorted by amount, the payments' own index is scanned.
 */
export interface IndexScan {
  readonly branches: readonly Sql[];
  /** The index decides the whole filter, except its selective parts (see selective-filters.ts). */
  readonly exact: boolean;
}

export function indexScanOf(query: PageQuery, order: Order): IndexScan {
  const { filter, tenantIds } = query;
  const wantedKinds = filter.kind ? [filter.kind] : kinds;
  const wantedStatuses = filter.status ? [filter.status] : filterStatuses;
  if (order.by === 'amount') return amountScan(query, order, wantedKinds, wantedStatuses);

  const plain = isOfTheRecord(filter);
  const places = tenantIds.flatMap((tenantId) => wantedKinds.map((kind) => ({ tenantId, kind })));
  const place = ({ tenantId, kind }: (typeof places)[number]) =>
    sql`tenant_id = ${tenantId} AND operation = ${kind}`;
  const rest = (value: Sql) => sql`${keyset(query, value, sql`id`, order)}
    ORDER BY ${value} ${order.direction}, id ${order.direction}`;

  if (order.by === 'updated') {
    return {
      exact: plain && !filter.escalated && !filter.errorCode && !hasAge(filter),
      branches: places.map(
        (one) => sql`(SELECT tenant_id, id, updated_at AS value FROM operation
          WHERE ${place(one)} AND status = 'unknown' ${rest(sql`updated_at`)})`,
      ),
    };
  }
  if (filter.escalated) {
    return {
      exact: plain && !filter.errorCode,
      branches: places.map(
        (one) => sql`(SELECT tenant_id, id, created_at AS value FROM operation
          WHERE ${place(one)} AND escalated_at IS NOT NULL ${age(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    };
  }
  const { errorCode } = filter;
  const withError = errorCode ? sql`AND last_error_code = ${errorCode}` : empty;
  return {
    exact: plain,
    branches: places.flatMap((one) =>
      wantedStatuses.map(
        (status) => sql`(SELECT tenant_id, id, created_at AS value FROM operation
          WHERE ${place(one)} AND status = ${status} ${withError} ${age(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    ),
  };
}

/** The statuses a payment can have while its record has one. A missing one would hide rows; a superfluous one costs a scan. */
const paymentStatuses: Record<FilterStatus, readonly string[]> = {
  in_progress: ['pending', 'released'],
  unknown: ['pending'],
  completed: ['succeeded', 'declined'],
  failed_retryable: ['released'],
  expired: ['succeeded', 'declined', 'released'],
};

function amountScan(
  query: PageQuery,
  order: Order,
  wantedKinds: readonly Kind[],
  wantedStatuses: readonly FilterStatus[],
): IndexScan {
  const { filter, tenantIds } = query;
  const moneyStatuses = [...new Set(wantedStatuses.flatMap((status) => paymentStatuses[status]))];
  const rest = sql`${range(filter, sql`amount_minor`)} ${keyset(query, sql`amount_minor`, sql`operation_id`, order)}
    ORDER BY amount_minor ${order.direction}, operation_id ${order.direction}`;
  const branches = tenantIds.flatMap((tenantId) =>
    moneyStatuses.flatMap((status) => [
      ...(wantedKinds.includes('payment.create')
        ? [
            sql`(SELECT tenant_id, operation_id AS id, amount_minor AS value FROM payment
              WHERE tenant_id = ${tenantId} AND currency = ${filter.currency} AND status = ${status} ${rest})`,
          ]
        : []),
      // A refund is in the currency of its payment, which is checked row by row: most shops have one.
      ...(wantedKinds.includes('refund.create') && status !== 'declined'
        ? [
            sql`(SELECT tenant_id, operation_id AS id, amount_minor AS value FROM refund
              WHERE tenant_id = ${tenantId} AND status = ${status} ${rest})`,
          ]
        : []),
    ]),
  );
  // Only refunds of something declined: there are none, and an empty list of branches is no SQL.
  const none = sql`(SELECT tenant_id, operation_id AS id, amount_minor AS value FROM payment WHERE false)`;
  return { branches: branches.length > 0 ? branches : [none], exact: false };
}

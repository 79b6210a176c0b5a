import { Prisma } from '#prisma';
import { age, hasAge, isOfTheRecord, range } from './operation-conditions.ts';
import { type FilterStatus, filterStatuses, type Kind, kinds } from './operation-filter.ts';
import { keyset, type Order, type PageQuery } from './operation-order.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/**
 * The walk through an index that already has the order of a page, from its cursor on: one branch for each combination
 * of shop, kind and status, to be merged.
 *
 * Amounts are the payment's, not the record's: sorted by amount, the payments' own index drives.
 */
export interface Driver {
  readonly branches: readonly Sql[];
  /** The index decides the whole filter, but for its narrowings. */
  readonly exact: boolean;
}

export function driverOf(query: PageQuery, order: Order): Driver {
  const { filter, tenantIds } = query;
  const wantedKinds = filter.kind ? [filter.kind] : kinds;
  const wantedStatuses = filter.status ? [filter.status] : filterStatuses;
  if (order.by === 'amount') return amountDriver(query, order, wantedKinds, wantedStatuses);

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
        (one) => sql`(SELECT id, updated_at AS value FROM idempotency_record
          WHERE ${place(one)} AND status = 'unknown' ${rest(sql`updated_at`)})`,
      ),
    };
  }
  if (filter.escalated) {
    return {
      exact: plain && !filter.errorCode,
      branches: places.map(
        (one) => sql`(SELECT id, created_at AS value FROM idempotency_record
          WHERE ${place(one)} AND escalated_at IS NOT NULL ${age(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    };
  }
  const { errorCode } = filter;
  const trouble = errorCode ? sql`AND last_error_code = ${errorCode}` : empty;
  return {
    exact: plain,
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

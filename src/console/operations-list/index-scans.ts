import { kindOf } from '#payments/index.ts';
import { type OperationName, operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import { age, hasAge, isOfTheRecord, range } from './operation-conditions.ts';
import { type FilterStatus, filterStatuses } from './operation-filter.ts';
import { keyset, type Order, type PageQuery } from './operation-order.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/**
 * A scan of an index that already has the order of a page, from its cursor on: one branch for each combination of shop,
 * kind and status, to be merged. Each branch gives tenant_id, id and the value of the order.
 *
 * Amounts are not the record's: sorted by amount, the indexes of the operations' own tables are scanned.
 */
export interface IndexScan {
  readonly branches: readonly Sql[];
  /** The index decides the whole filter, except its selective parts (see selective-filters.ts). */
  readonly exact: boolean;
}

export function indexScanOf(query: PageQuery, order: Order): IndexScan {
  const { filter, tenantIds } = query;
  const wantedKinds = filter.kind ? [filter.kind] : operationNames;
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

function amountScan(
  query: PageQuery,
  order: Order,
  wantedKinds: readonly OperationName[],
  wantedStatuses: readonly FilterStatus[],
): IndexScan {
  const { filter, tenantIds } = query;
  const rest = sql`${range(filter, sql`amount_minor`)} ${keyset(query, sql`amount_minor`, sql`operation_id`, order)}
    ORDER BY amount_minor ${order.direction}, operation_id ${order.direction}`;
  const branchesOf = (tenantId: string, kind: OperationName) => {
    const { table, hasCurrency, statesOf } = kindOf(kind).rows.byAmount;
    const inCurrency = hasCurrency ? sql`AND currency = ${filter.currency}` : empty;
    const states = new Set(wantedStatuses.flatMap((status) => statesOf[status]));
    return [...states].map(
      (state) => sql`(SELECT tenant_id, operation_id AS id, amount_minor AS value FROM ${table}
        WHERE tenant_id = ${tenantId} ${inCurrency} AND status = ${state} ${rest})`,
    );
  };
  const branches = tenantIds.flatMap((tenantId) => wantedKinds.flatMap((kind) => branchesOf(tenantId, kind)));
  return { branches, exact: false };
}

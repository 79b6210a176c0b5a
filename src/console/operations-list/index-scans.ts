import { kindOf, type OperationRows } from '#payments/index.ts';
import { type OperationName, operationNames } from '#payments/operations/copy.ts';
import { Prisma } from '#prisma';
import { ageRange, amountRange, hasAgeRange, needsOnlyRecord } from './operation-conditions.ts';
import { type FilterStatus, filterStatuses } from './operation-filter.ts';
import { keyset, type Order, type PageQuery } from './operation-order.ts';

const { sql, empty } = Prisma;
type Sql = Prisma.Sql;

/**
 * A scan of an index that is sorted like the page, from the cursor on: one branch for each combination of shop, kind and
 * status, to be merged. Each branch selects tenant_id, id and the sort value.
 *
 * The record has no amount: an order by amount scans the indexes of the operations' own tables.
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

  const onRecord = needsOnlyRecord(filter);
  const scopes = tenantIds.flatMap((tenantId) => wantedKinds.map((kind) => ({ tenantId, kind })));
  const inScope = ({ tenantId, kind }: (typeof scopes)[number]) =>
    sql`tenant_id = ${tenantId} AND operation = ${kind}`;
  const rest = (value: Sql) => sql`${keyset(query, value, sql`id`, order)}
    ORDER BY ${value} ${order.direction}, id ${order.direction}`;

  if (order.by === 'unknown') {
    return {
      exact: onRecord && !filter.escalated && !filter.errorCode && !hasAgeRange(filter),
      branches: scopes.map(
        (scope) => sql`(SELECT tenant_id, id, unknown_since AS value FROM operation
          WHERE ${inScope(scope)} AND status = 'unknown' ${rest(sql`unknown_since`)})`,
      ),
    };
  }
  if (filter.escalated) {
    return {
      exact: onRecord && !filter.errorCode,
      branches: scopes.map(
        (scope) => sql`(SELECT tenant_id, id, created_at AS value FROM operation
          WHERE ${inScope(scope)} AND escalated_at IS NOT NULL ${ageRange(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
      ),
    };
  }
  const { errorCode } = filter;
  const withError = errorCode ? sql`AND last_error_code = ${errorCode}` : empty;
  return {
    exact: onRecord,
    branches: scopes.flatMap((scope) =>
      wantedStatuses.map(
        (status) => sql`(SELECT tenant_id, id, created_at AS value FROM operation
          WHERE ${inScope(scope)} AND status = ${status} ${withError} ${ageRange(filter, sql`created_at`)} ${rest(sql`created_at`)})`,
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
  const rest = sql`${amountRange(filter, sql`amount_minor`)} ${keyset(query, sql`amount_minor`, sql`operation_id`, order)}
    ORDER BY amount_minor ${order.direction}, operation_id ${order.direction}`;
  // Operations that share a table are scanned together; the page's conditions keep them apart.
  const wantedRows = [...new Set(wantedKinds.map((kind) => kindOf(kind).rows))];
  const branchesOf = (tenantId: string, { byAmount: { table, hasCurrency, statesOf } }: OperationRows) => {
    const inCurrency = hasCurrency ? sql`AND currency = ${filter.currency}` : empty;
    const states = new Set(wantedStatuses.flatMap((status) => statesOf[status]));
    return [...states].map(
      (state) => sql`(SELECT tenant_id, operation_id AS id, amount_minor AS value FROM ${table}
        WHERE tenant_id = ${tenantId} ${inCurrency} AND status = ${state} ${rest})`,
    );
  };
  const branches = tenantIds.flatMap((tenantId) => wantedRows.flatMap((rows) => branchesOf(tenantId, rows)));
  return { branches, exact: false };
}

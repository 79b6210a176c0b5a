import { type Status, statuses } from '#idempotency/index.ts';
import { type Currency, currencyCodes, money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { writeCursor } from '../paging/cursor.ts';
import { atOf, cutPage, type Place } from '../paging/keyset-page.ts';
import { distinctValues } from './distinct-values.ts';
import type { PageRow } from './operation-details.ts';
import type { OperationFilter } from './operation-filter.ts';
import { pageSql, rowsSql, scanLimit } from './operation-query.ts';
import { matchSelective, selectiveFiltersOf } from './selective-filters.ts';

export { type Status, statuses };

type Db = Prisma.TransactionClient;
export type ListedOperation = ReturnType<typeof rowView>;

export interface Page {
  readonly operations: readonly ListedOperation[];
  /** Cursors for the address; undefined where there is nothing more. */
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
  /** The page is not full because the scan reached its limit, which is this many rows: there may be more further on. */
  readonly scanned?: number | undefined;
}

export interface PageRequest extends Place {
  readonly tenantIds: readonly string[];
  readonly filter: OperationFilter;
  readonly limit: number;
}

export async function listOperations(db: Db, request: PageRequest): Promise<Page> {
  const filter = await withCurrency(db, request.tenantIds, request.filter);
  const among = await matchSelective(db, selectiveFiltersOf(filter, request.tenantIds), scanLimit);
  const read = await db.$queryRaw<PageRow[]>(pageSql({ ...request, filter, at: atOf(request) }, among));
  const found = read.filter(isFound);
  const edge = read[0];
  // Not full, and the scan ended at its limit rather than at the end: the next page goes on from where it stopped.
  const stopped =
    found.length <= request.limit && edge?.scanned === scanLimit
      ? placeOf(edge.edge_value, edge.edge_id)
      : undefined;
  const { rows, next, previous } = cutPage(
    found,
    request,
    (row) => placeOf(row.cursor_value, row.id),
    stopped,
  );
  return {
    operations: rows.map(rowView),
    next,
    previous,
    scanned: stopped === undefined ? undefined : scanLimit,
  };
}

/** Rows by their ids, as they are now, whichever filter they were found with. Callers limit how many they ask for. */
export async function readOperations(db: Db, tenantIds: readonly string[], ids: readonly string[]) {
  const rows = await db.$queryRaw<PageRow[]>(rowsSql(tenantIds, ids));
  return rows.filter(isFound).map(rowView);
}

type Found = PageRow & { readonly id: string };

function isFound(row: PageRow): row is Found {
  return row.id !== null;
}

function placeOf(value: bigint | null, id: string | null): string | undefined {
  return value === null || id === null ? undefined : writeCursor({ value: Number(value), id });
}

/** Amounts of different currencies have no order. Without a choice it is the first one that the shop has been paid in. */
async function withCurrency(
  db: Db,
  tenantIds: readonly string[],
  filter: OperationFilter,
): Promise<OperationFilter> {
  if (filter.currency || filter.sort !== 'amount') return filter;
  const [first] = await listCurrencies(db, tenantIds);
  return { ...filter, currency: first ?? 'eur' };
}

export async function listCurrencies(db: Db, tenantIds: readonly string[]): Promise<Currency[]> {
  const found = await Promise.all(
    tenantIds.map((tenantId) =>
      distinctValues(db, {
        table: 'payment',
        column: 'currency',
        scope: Prisma.sql`tenant_id = ${tenantId}`,
      }),
    ),
  );
  return currencyCodes.filter((code) => found.some((codes) => codes.includes(code)));
}

/** The error codes that occur, found by one index lookup each, however many rows have them. */
export async function listErrorCodes(db: Db, tenantIds: readonly string[]): Promise<string[]> {
  const steps = tenantIds.map(
    (tenantId) => Prisma.sql`(
      WITH RECURSIVE step AS (
        SELECT min(last_error_code) AS code FROM operation
          WHERE tenant_id = ${tenantId} AND last_error_code IS NOT NULL
        UNION ALL
        SELECT (SELECT min(last_error_code) FROM operation
          WHERE tenant_id = ${tenantId} AND last_error_code > step.code)
        FROM step WHERE step.code IS NOT NULL)
      SELECT code FROM step WHERE code IS NOT NULL LIMIT 50)`,
  );
  const rows = await db.$queryRaw<{ code: string }[]>`
    SELECT DISTINCT code FROM (${Prisma.join(steps, ' UNION ALL ')}) AS codes ORDER BY code`;
  return rows.map(({ code }) => code);
}

/** What is shown of an operation wherever it is shown. The key is shortened: it is the client's secret name for the attempt. */
function rowView(row: Found) {
  return {
    id: row.id,
    tenantId: row.tenant_id,
    operation: row.operation,
    key: shortened(row.key),
    status: row.status as Status,
    attempt: row.attempt,
    recoveryPoint: row.recovery_point,
    errorCode: row.last_error_code,
    escalated: row.escalated_at !== null,
    escalatedAt: row.escalated_at?.toISOString() ?? null,
    checks: row.check_count,
    nextCheckAt: row.next_check_at?.toISOString() ?? null,
    misuses: row.misuses,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    payment:
      row.payment_id !== null && row.reference !== null && row.amount_minor !== null && row.currency !== null
        ? {
            id: row.payment_id,
            reference: row.reference,
            amount: money(row.amount_minor, row.currency),
            status: row.money_status ?? '',
            declineCode: row.decline_code,
            intentId: row.provider_intent_id,
          }
        : null,
  };
}

function shortened(key: string): string {
  return `${key.slice(0, 8)}…`;
}

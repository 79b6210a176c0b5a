import { type Status, statuses } from '#idempotency/index.ts';
import { type Currency, currencyCodes, money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { writeCursor } from '../paging/cursor.ts';
import { cutPage, type PageCursors, seekOf } from '../paging/keyset-page.ts';
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
  /** Cursors for the URL; undefined where there is no further page. */
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
  /** Set when the page is not full because the scan ended at its limit, this many rows. There may be more matches. */
  readonly scanned?: number | undefined;
}

export interface PageRequest extends PageCursors {
  readonly tenantIds: readonly string[];
  readonly filter: OperationFilter;
  readonly limit: number;
}

export async function listOperations(db: Db, request: PageRequest): Promise<Page> {
  const filter = await withCurrency(db, request.tenantIds, request.filter);
  const candidates = await matchSelective(db, selectiveFiltersOf(filter, request.tenantIds), scanLimit);
  const read = await db.$queryRaw<PageRow[]>(
    pageSql({ ...request, filter, seek: seekOf(request) }, candidates),
  );
  const found = read.filter(isFound);
  const edge = read[0];
  // The scan ended at its limit before the page was full: the next page continues where it stopped.
  const stopped =
    found.length <= request.limit && edge?.scanned === scanLimit
      ? cursorOf(edge.edge_value, edge.edge_id)
      : undefined;
  const { rows, next, previous } = cutPage(
    found,
    request,
    (row) => cursorOf(row.cursor_value, row.id),
    stopped,
  );
  return {
    operations: rows.map(rowView),
    next,
    previous,
    scanned: stopped === undefined ? undefined : scanLimit,
  };
}

/** Rows by their ids, without a filter. Callers limit the number of ids. */
export async function readOperations(db: Db, tenantIds: readonly string[], ids: readonly string[]) {
  const rows = await db.$queryRaw<PageRow[]>(rowsSql(tenantIds, ids));
  return rows.filter(isFound).map(rowView);
}

type Found = PageRow & { readonly id: string };

function isFound(row: PageRow): row is Found {
  return row.id !== null;
}

function cursorOf(value: bigint | null, id: string | null): string | undefined {
  return value === null || id === null ? undefined : writeCursor({ value: Number(value), id });
}

/** Amounts of different currencies have no order. Without a choice the first currency with payments is used. */
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
  const found = await distinctOfTenants(db, tenantIds, 'payment', 'currency');
  return currencyCodes.filter((code) => found.has(code));
}

export async function listErrorCodes(db: Db, tenantIds: readonly string[]): Promise<string[]> {
  const found = await distinctOfTenants(db, tenantIds, 'operation', 'last_error_code');
  return [...found].toSorted();
}

async function distinctOfTenants(
  db: Db,
  tenantIds: readonly string[],
  table: string,
  column: string,
): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    tenantIds.map((tenantId) => {
      // The condition lets the planner use a partial index over rows that have a value.
      const scope = Prisma.sql`tenant_id = ${tenantId} AND ${Prisma.raw(column)} IS NOT NULL`;
      return distinctValues(db, { table, column, scope });
    }),
  );
  return new Set(found.flat());
}

/** An operation as all pages show it. The key is shortened, because it is the client's secret. */
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

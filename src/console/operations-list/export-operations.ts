import type { Prisma } from '#prisma';
import { csvLine } from '../paging/csv.ts';
import { readCursor } from '../paging/cursor.ts';
import { type ListedOperation, listOperations } from './list-operations.ts';
import { type OperationFilter, writeAmount } from './operation-filter.ts';

const batch = 500;

const headings = [
  'operation_id',
  'kind',
  'status',
  'reference',
  'amount',
  'currency',
  'outcome',
  'decline_code',
  'error_code',
  'attempts',
  'automatic_checks',
  'escalated_at',
  'key_beginning',
  'payment_id',
  'provider_intent_id',
  'shop',
  'created_at',
  'updated_at',
] as const;

/**
 * Everything that a filter matches, as CSV, read page by page, with at most one page in memory. Each row is as it was when
 * its page was read.
 */
export async function* exportOperations(
  db: Prisma.TransactionClient,
  request: {
    readonly shops: ReadonlyMap<string, string>;
    readonly filter: OperationFilter;
    readonly signal?: AbortSignal;
  },
): AsyncGenerator<string, void> {
  const { shops, filter, signal } = request;
  yield csvLine(headings);
  let next: string | undefined;
  do {
    const after = readCursor(next);
    const page = await listOperations(db, { tenantIds: [...shops.keys()], filter, limit: batch, after });
    if (page.operations.length > 0) {
      yield page.operations.map((one) => csvLine(cellsOf(one, shops.get(one.tenantId) ?? ''))).join('');
    }
    next = page.next;
  } while (next && !signal?.aborted);
}

function cellsOf(one: ListedOperation, shop: string): readonly (string | number | null)[] {
  const { payment } = one;
  return [
    one.id,
    one.operation,
    one.status,
    payment?.reference ?? '',
    payment ? (writeAmount(payment.amount.amountMinor, payment.amount.currency) ?? '') : '',
    payment?.amount.currency.toUpperCase() ?? '',
    payment?.status ?? '',
    payment?.declineCode ?? '',
    one.errorCode ?? '',
    String(one.attempt),
    String(one.checks),
    one.escalatedAt ?? '',
    one.key,
    payment?.id ?? '',
    payment?.intentId ?? '',
    shop,
    one.createdAt,
    one.updatedAt,
  ];
}

import type { Prisma } from '#prisma';
import { type ListedOperation, listOperations } from './list-operations.ts';
import { readCursor } from './operation-cursor.ts';
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
 * All that a filter finds, as CSV, one page of the list after the other: as much as somebody wants, and never more than
 * a page of it in memory. Rows that arrive meanwhile are not in it, rows that change are as they were when passed.
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
  yield line(headings);
  let next: string | undefined;
  do {
    const after = readCursor(next);
    const page = await listOperations(db, { tenantIds: [...shops.keys()], filter, limit: batch, after });
    if (page.operations.length > 0) {
      yield page.operations.map((one) => line(cellsOf(one, shops.get(one.tenantId) ?? ''))).join('');
    }
    next = page.next;
  } while (next && !signal?.aborted);
}

function cellsOf(one: ListedOperation, shop: string): readonly string[] {
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

/** As RFC 4180 has it, and safe to open: what a spreadsheet would take for a formula gets an apostrophe before it. */
export function line(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

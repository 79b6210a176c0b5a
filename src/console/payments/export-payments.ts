import type { Prisma } from '#prisma';
import { writeAmount } from '../operations-list/operation-filter.ts';
import { csvLine } from '../paging/csv.ts';
import { readCursor } from '../paging/cursor.ts';
import { type ListedPayment, listPayments } from './list-payments.ts';
import type { PaymentFilter } from './payment-filter.ts';

const batch = 500;

const headings = [
  'payment_id',
  'order',
  'customer_email',
  'amount',
  'refunded',
  'refunds_not_known_yet',
  'currency',
  'status',
  'decline_code',
  'card_brand',
  'card_last4',
  'provider_intent_id',
  'operation_id',
  'created_at',
] as const;

/** Everything that a filter matches, as CSV, read page by page, with at most one page in memory. */
export async function* exportPayments(
  db: Prisma.TransactionClient,
  request: { readonly tenantId: string; readonly filter: PaymentFilter; readonly signal?: AbortSignal },
): AsyncGenerator<string, void> {
  yield csvLine(headings);
  let next: string | undefined;
  do {
    const page = await listPayments(db, { ...request, limit: batch, after: readCursor(next) });
    if (page.payments.length > 0) yield page.payments.map((one) => csvLine(cellsOf(one))).join('');
    next = page.next;
  } while (next && !request.signal?.aborted);
}

function cellsOf(one: ListedPayment): readonly (string | number | null)[] {
  const { currency } = one.amount;
  return [
    one.id,
    one.reference,
    one.email,
    writeAmount(one.amount.amountMinor, currency) ?? '',
    writeAmount(one.refunded.amountMinor, currency) ?? '',
    writeAmount(one.refundsPending.amountMinor, currency) ?? '',
    currency.toUpperCase(),
    one.outcome,
    one.declineCode,
    one.card?.brand ?? null,
    one.card?.last4 ?? null,
    one.intentId,
    one.operationId,
    one.createdAt,
  ];
}

import { money } from '#payments/money.ts';
import type { Prisma } from '#prisma';
import { writeCursor } from '../paging/cursor.ts';
import { cutPage, type PageCursors, seekOf } from '../paging/keyset-page.ts';
import { outcomeOf, type PaymentFilter } from './payment-filter.ts';
import { paymentPageSql, paymentScanLimit, paymentSearchSql } from './payment-query.ts';

type Db = Prisma.TransactionClient;

interface Row {
  readonly id: string | null;
  readonly operation_id: string;
  readonly reference: string;
  readonly amount_minor: bigint;
  readonly refunded_minor: bigint;
  readonly pending_minor: bigint;
  readonly currency: string;
  readonly receipt_email: string | null;
  readonly status: string;
  readonly found_charged: boolean;
  readonly decline_code: string | null;
  readonly provider_intent_id: string | null;
  readonly card_brand: string | null;
  readonly card_last4: string | null;
  readonly created_at: Date;
  readonly cursor_value: bigint;
  readonly scanned: number;
  readonly edge_value: bigint;
  readonly edge_id: string;
}

type Found = Row & { readonly id: string };
export type ListedPayment = ReturnType<typeof view>;

export interface PaymentPage {
  readonly payments: readonly ListedPayment[];
  readonly next?: string | undefined;
  readonly previous?: string | undefined;
  /** Set when the page is not full because this many payments were read. There may be more matches. */
  readonly scanned?: number | undefined;
}

export interface PaymentPageRequest extends PageCursors {
  readonly tenantId: string;
  readonly filter: PaymentFilter;
  readonly limit: number;
}

/** One page of payments, newest first. */
export async function listPayments(db: Db, request: PaymentPageRequest): Promise<PaymentPage> {
  const ids = await idsOfSearch(db, request);
  const read = await db.$queryRaw<Row[]>(paymentPageSql({ ...request, seek: seekOf(request) }, ids));
  const found = read.filter((row): row is Found => row.id !== null);
  const edge = read[0];
  // The scan ended at its limit before the page was full: the next page continues where it stopped.
  const stopped =
    !ids && edge && found.length <= request.limit && edge.scanned === paymentScanLimit
      ? writeCursor({ value: Number(edge.edge_value), id: edge.edge_id })
      : undefined;
  const { rows, next, previous } = cutPage(
    found,
    request,
    (row) => writeCursor({ value: Number(row.cursor_value), id: row.id }),
    stopped,
  );
  return {
    payments: rows.map(view),
    next,
    previous,
    scanned: stopped === undefined ? undefined : paymentScanLimit,
  };
}

/** Undefined: there is no search, or it matches more payments than can be sorted. */
async function idsOfSearch(db: Db, { tenantId, filter }: PaymentPageRequest): Promise<string[] | undefined> {
  if (filter.search === undefined) return undefined;
  const rows = await db.$queryRaw<{ id: string }[]>(
    paymentSearchSql(tenantId, filter.search, paymentScanLimit),
  );
  return rows.length > paymentScanLimit ? undefined : rows.map(({ id }) => id);
}

function view(row: Found) {
  const refunded = money(row.refunded_minor - row.pending_minor, row.currency);
  const refundsPending = money(row.pending_minor, row.currency);
  return {
    id: row.id,
    operationId: row.operation_id,
    reference: row.reference,
    amount: money(row.amount_minor, row.currency),
    refunded,
    refundsPending,
    email: row.receipt_email,
    outcome: outcomeOf({ status: row.status, foundCharged: row.found_charged, refunded, refundsPending }),
    declineCode: row.decline_code,
    intentId: row.provider_intent_id,
    card: row.card_last4 ? { brand: row.card_brand, last4: row.card_last4 } : null,
    createdAt: row.created_at.toISOString(),
  };
}

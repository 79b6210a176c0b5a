import { isBooked, isRefundable } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { cursorValue, keyset, scanOrder } from '../operations-list/operation-order.ts';
import { writeCursor } from '../paging/cursor.ts';
import { cutPage, type PageCursors, seekOf } from '../paging/keyset-page.ts';

const { sql, empty } = Prisma;
type Db = Prisma.TransactionClient;

/** One page, newest first, and how many exceptions of the shop wait for a decision. */
export async function listExceptions(
  db: Db,
  request: PageCursors & { readonly tenantId: string; readonly onlyOpen?: boolean; readonly limit: number },
) {
  const { tenantId } = request;
  const seek = seekOf(request);
  const order = scanOrder('created', true, seek);
  const [read, waiting] = await Promise.all([
    db.$queryRaw<{ id: string; cursor_value: bigint }[]>`
      SELECT id, ${cursorValue(sql`found_at`, order.by)} AS cursor_value FROM reconciliation_exception
      WHERE tenant_id = ${tenantId} ${request.onlyOpen ? sql`AND status = 'open'` : empty}
        ${keyset({ seek }, sql`found_at`, sql`id`, order)}
      ORDER BY found_at ${order.direction}, id ${order.direction} LIMIT ${request.limit + 1}`,
    db.reconciliationException.count({ where: { tenantId, status: 'open' } }),
  ]);
  const { rows, next, previous } = cutPage(read, request, (row) =>
    writeCursor({ value: Number(row.cursor_value), id: row.id }),
  );
  const exceptions = await readExceptions(
    db,
    tenantId,
    rows.map(({ id }) => id),
  );
  return { exceptions, waiting, next, previous };
}

async function readExceptions(db: Db, tenantId: string, ids: readonly string[]) {
  const rows = await db.reconciliationException.findMany({
    where: { tenantId, id: { in: [...ids] } },
    include: { payment: true, refund: { select: { amountMinor: true } } },
  });
  const asked = await db.refund.findMany({
    where: {
      tenantId,
      operationId: { in: rows.flatMap(({ refundOperationId }) => refundOperationId ?? []) },
    },
    select: { operationId: true, amountMinor: true, status: true },
  });
  const refunds = await db.refund.findMany({
    where: {
      tenantId,
      paymentId: { in: rows.map(({ paymentId }) => paymentId) },
      status: { not: 'released' },
    },
    select: { paymentId: true, operationId: true, amountMinor: true, status: true, createdAt: true },
  });
  const besidesOf = (row: (typeof rows)[number]) =>
    refunds.filter((one) => one.paymentId === row.paymentId && one.operationId !== row.refundOperationId);
  const since = (row: (typeof rows)[number]): bigint =>
    besidesOf(row)
      .filter(({ status, createdAt }) => status !== 'failed' && createdAt > row.foundAt)
      .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  /** What a refund of it pays back: of a payment in the books, what is left of it, or what was asked for and has not ended. */
  const toRefund = (row: (typeof rows)[number]): bigint => {
    if (row.refund) return row.refund.amountMinor;
    if (!isBooked(row, row.payment)) return row.payment.amountMinor;
    const own = asked.find(({ operationId }) => operationId === row.refundOperationId);
    return own?.status === 'pending' ? own.amountMinor : row.payment.amountMinor - row.payment.refundedMinor;
  };
  return rows
    .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    .map((row) => ({
      id: row.id,
      /** A decision names it, and counts only while it is still the same. */
      generation: row.generation,
      reason: row.reason,
      status: row.status as 'open' | 'refunded' | 'booked' | 'dismissed',
      intentId: row.intentId,
      foundAt: row.foundAt.toISOString(),
      decidedAt: row.decidedAt?.toISOString() ?? null,
      decisionReason: row.decisionReason,
      /** False: the software closed it, and the reason is no person's own text. */
      decidedByPerson: row.decidedBy?.startsWith('operator:') ?? false,
      /** It is about a refund that the bank returned, not about a charge. */
      returned: row.reason === 'refund_failed',
      /** False: the provider holds no money of it, or none any more. */
      refundable: isRefundable(row) && (row.status !== 'open' || toRefund(row) > 0n),
      ofRefund: row.refundId !== null,
      /** Our database lost the payment or refund: it can be booked as it should have been. */
      bookable: row.reason === 'record_lost',
      /** An operator has decided to refund it, and the provider has not confirmed the refund yet. */
      asked: row.status === 'open' && row.decidedBy !== null,
      /** The charge is in our books. Its refund is then booked too, and the shopper gets an e-mail. */
      booked: isBooked(row, row.payment),
      operationId: row.payment.operationId,
      reference: row.payment.reference,
      amount: money(row.refund?.amountMinor ?? row.payment.amountMinor, row.payment.currency),
      toRefund: money(toRefund(row), row.payment.currency),
      /** How many refunds of the payment there are besides its own: a decision on a page that shows fewer is outdated. */
      refundsBefore: besidesOf(row).length,
      /** What was refunded of the payment after it was found, such as a returned refund that was made again. */
      refundedSince: money(since(row), row.payment.currency),
    }));
}

import { isBooked } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { Prisma } from '#prisma';
import { keyset, micros, towards } from '../operations-list/operation-order.ts';
import { writeCursor } from '../paging/cursor.ts';
import { atOf, cutPage, type Place } from '../paging/keyset-page.ts';

const { sql, empty } = Prisma;
type Db = Prisma.TransactionClient;

/** Newest first, page by page, and how many wait for a decision, on all pages together. */
export async function listExceptions(
  db: Db,
  request: Place & { readonly tenantId: string; readonly onlyOpen?: boolean; readonly limit: number },
) {
  const { tenantId } = request;
  const at = atOf(request);
  const order = towards('created', true, at);
  const [read, waiting] = await Promise.all([
    db.$queryRaw<{ id: string; cursor_value: bigint }[]>`
      SELECT id, ${micros(sql`found_at`, order.by)} AS cursor_value FROM reconciliation_exception
      WHERE tenant_id = ${tenantId} ${request.onlyOpen ? sql`AND status = 'open'` : empty}
        ${keyset({ at }, sql`found_at`, sql`id`, order)}
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
  return rows
    .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    .map((row) => ({
      id: row.id,
      reason: row.reason,
      status: row.status as 'open' | 'refunded' | 'dismissed',
      intentId: row.intentId,
      foundAt: row.foundAt.toISOString(),
      decidedAt: row.decidedAt?.toISOString() ?? null,
      decisionReason: row.decisionReason,
      /** Whether it is about a refund that failed, rather than about a charge. */
      returned: row.refundId !== null,
      /** An operator has decided to refund it, and the provider has not done it yet. */
      asked: row.status === 'open' && row.decidedBy !== null,
      /** Whether the money is in our books: then a refund is booked too, and the shopper gets an e-mail. */
      booked: isBooked(row, row.payment),
      operationId: row.payment.operationId,
      reference: row.payment.reference,
      amount: money(row.refund?.amountMinor ?? row.payment.amountMinor, row.payment.currency),
    }));
}

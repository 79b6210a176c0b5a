import { isPaidFor } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { ownPayments, type PayableOrder } from './own-payments.ts';

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly paymentUnderWay: boolean }
  /** The payment succeeded first, or the shop keeps a charge that was found: only the shop can refund it now. */
  | { readonly kind: 'paid' };

/**
 * The shopper no longer wants the order. What is under way at the bank is not stopped by that; what waits for the shopper there is
 * for the caller to cancel, once this is committed.
 *
 * The order's row is locked before its payments are read. A payment that was just begun takes the same lock before anything is
 * sent (`isCancelled`), and so does the consumer of succeeded payments (flag-cancelled-order.ts): after the response that nothing
 * is under way nothing is charged, a paid order is never cancelled, and money for a cancelled order is always flagged.
 */
export function cancelOrder(
  db: PrismaClient,
  order: PayableOrder & { readonly id: string },
): Promise<Cancelled> {
  return db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM shop_order WHERE id = ${order.id}::uuid FOR UPDATE`;
    const payments = await tx.payment.findMany({
      where: { ...ownPayments(order), OR: [{ status: 'pending' }, isPaidFor] },
      select: { status: true },
    });
    if (payments.some(({ status }) => status !== 'pending')) return { kind: 'paid' };
    await tx.$executeRaw`
      UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${order.id}::uuid AND cancelled_at IS NULL`;
    return { kind: 'cancelled', paymentUnderWay: payments.length > 0 };
  });
}

/** For a payment whose row is committed: it waits for a cancellation that may not have seen it. */
export async function isCancelled(db: Prisma.TransactionClient, order: { id: string }): Promise<boolean> {
  const [row] = await db.$queryRaw<{ cancelled: boolean }[]>`
    SELECT cancelled_at IS NOT NULL AS cancelled FROM shop_order WHERE id = ${order.id}::uuid FOR SHARE`;
  return row?.cancelled === true;
}

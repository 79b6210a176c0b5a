import type { PrismaClient } from '#prisma';

export type Cancelled =
  | { readonly kind: 'cancelled'; readonly paymentUnderWay: boolean }
  /** The payment succeeded first: only the shop can refund it now. */
  | { readonly kind: 'paid' };

/**
 * The shopper no longer wants the order. What is under way at the bank is not stopped by that.
 *
 * The order's row is locked before its payments are read, and the consumer of succeeded payments takes the same lock (see
 * flag-cancelled-order.ts): a paid order is never cancelled, and money for a cancelled order is always flagged.
 */
export function cancelOrder(
  db: PrismaClient,
  order: { id: string; tenantId: string; number: string },
): Promise<Cancelled> {
  return db.$transaction(async (tx) => {
    await tx.$queryRaw`SELECT id FROM shop_order WHERE id = ${order.id}::uuid FOR UPDATE`;
    const live = await tx.payment.findFirst({
      where: {
        tenantId: order.tenantId,
        reference: order.number,
        status: { in: ['pending', 'succeeded'] },
      },
      select: { status: true },
    });
    if (live?.status === 'succeeded') return { kind: 'paid' };
    await tx.$executeRaw`
      UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${order.id}::uuid AND cancelled_at IS NULL`;
    return { kind: 'cancelled', paymentUnderWay: live !== null };
  });
}

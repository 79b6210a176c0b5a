import { shownStatusOf, topicOfReference, withFoundCharges } from '#payments/index.ts';
import type { Prisma } from '#prisma';
import { ownPayments, type PayableOrder } from './own-payments.ts';

export function topicOfOrder({ tenantId, number }: Pick<PayableOrder, 'tenantId' | 'number'>): string {
  return topicOfReference({ tenantId, reference: number });
}

/** What can change about an order while its page is open. */
export async function viewOrderPayments(db: Prisma.TransactionClient, order: PayableOrder) {
  const payments = await db.payment.findMany({
    where: ownPayments(order),
    orderBy: { createdAt: 'asc' },
    select: {
      ...{ id: true, status: true, refundedMinor: true, ...withFoundCharges },
      receipt: { select: { number: true } },
    },
  });
  return payments.map((payment) => ({
    paymentId: payment.id,
    status: shownStatusOf(payment),
    refundedMinor: Number(payment.refundedMinor),
    receiptNumber: payment.receipt?.number ?? null,
  }));
}

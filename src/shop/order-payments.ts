import { topicOfReference } from '#payments/index.ts';
import type { Prisma } from '#prisma';

interface OrderName {
  readonly tenantId: string;
  readonly number: string;
}

export function topicOfOrder({ tenantId, number }: OrderName): string {
  return topicOfReference({ tenantId, reference: number });
}

/** What can change about an order while its page is open. */
export async function viewOrderPayments(db: Prisma.TransactionClient, { tenantId, number }: OrderName) {
  const payments = await db.payment.findMany({
    where: { tenantId, reference: number },
    orderBy: { createdAt: 'asc' },
    select: { id: true, status: true, refundedMinor: true, receipt: { select: { number: true } } },
  });
  return payments.map(({ id, status, refundedMinor, receipt }) => ({
    paymentId: id,
    status: status as 'pending' | 'succeeded' | 'declined' | 'released',
    refundedMinor: Number(refundedMinor),
    receiptNumber: receipt?.number ?? null,
  }));
}

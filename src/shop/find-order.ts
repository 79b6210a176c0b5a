import { paymentStatusLabel, shownStatusOf, withFoundCharges } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { findReceiptDelivery } from '#payments/outbox/console.ts';
import type { Prisma } from '#prisma';
import { ownPayments } from './own-payments.ts';

type Db = Prisma.TransactionClient;

export async function findOrder(db: Db, orderId: string) {
  const order = await db.order.findUnique({
    where: { id: orderId },
    include: {
      lines: { orderBy: { name: 'asc' }, include: { product: { select: { art: true, slug: true } } } },
      tenant: { select: { slug: true, name: true, contactEmail: true } },
    },
  });
  if (!order) return undefined;
  const payments = await db.payment.findMany({
    where: ownPayments(order),
    orderBy: { createdAt: 'asc' },
    include: {
      ...withFoundCharges,
      receipt: { select: { number: true } },
      refunds: { where: { status: { not: 'released' } }, orderBy: { createdAt: 'asc' } },
    },
  });
  const paid = payments.find(({ status }) => status === 'succeeded');
  return {
    id: order.id,
    number: order.number,
    shop: order.tenant,
    total: money(order.amountMinor, order.currency),
    createdAt: order.createdAt.toISOString(),
    cancelledAt: order.cancelledAt?.toISOString() ?? null,
    lines: order.lines.map((line) => ({
      productId: line.productId,
      name: line.name,
      slug: line.product.slug,
      art: line.product.art,
      quantity: line.quantity,
      amount: money(line.unitAmountMinor * BigInt(line.quantity), order.currency),
    })),
    payments: payments.map((payment) => {
      const status = shownStatusOf(payment);
      return {
        paymentId: payment.id,
        operationId: payment.operationId,
        status,
        declineCode: payment.declineCode,
        label: paymentStatusLabel({ ...payment, status }),
        chargeId: payment.providerChargeId,
        receiptNumber: payment.receipt?.number ?? null,
        createdAt: payment.createdAt.toISOString(),
        completedAt: payment.completedAt?.toISOString() ?? null,
      };
    }),
    receipt: (paid && (await findReceiptDelivery(db, paid))) ?? null,
    refunds: payments.flatMap(({ refunds, currency }) =>
      refunds.map((refund) => ({
        id: refund.id,
        status: refund.status as 'pending' | 'succeeded' | 'failed',
        amount: money(refund.amountMinor, currency),
        at: (refund.failedAt ?? refund.completedAt ?? refund.createdAt).toISOString(),
      })),
    ),
  };
}

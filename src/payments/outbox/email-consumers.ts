import type { Prisma } from '#prisma';
import { money } from '../money.ts';
import { keyOf } from '../payment-rows.ts';
import { paymentStatusLabel } from '../payment-status-copy.ts';
import type { ConsumerSettings, OutboxMessage } from './consume-event.ts';
import { renderReceipt, renderRefundNotice } from './emails.ts';
import { queueEmail } from './queue-email.ts';

type Tx = Prisma.TransactionClient;

/** The receipt is issued also when it is not sent by e-mail. */
export async function sendReceipt(tx: Tx, event: OutboxMessage, settings: ConsumerSettings): Promise<void> {
  if (event.type !== 'payment.succeeded') return;
  const { payment } = event;
  await tx.receipt.createMany({
    data: [{ tenantId: payment.tenantId, paymentId: payment.id }],
    skipDuplicates: true,
  });
  if (!payment.receiptEmail) return;
  const receipt = await tx.receipt.findUniqueOrThrow({
    where: { tenantId_paymentId: { tenantId: payment.tenantId, paymentId: payment.id } },
  });
  const content = await renderReceipt({
    ...(await findPurchase(tx, event, settings)),
    receiptNumber: receipt.number,
    amount: money(payment.amountMinor, payment.currency),
    paidAt: payment.completedAt ?? event.createdAt,
    attempts: await listAttempts(tx, event),
    chargeId: payment.providerChargeId,
    card: cardLabel(payment),
  });
  await queueEmail(tx, event.tenantId, {
    dedupeKey: `receipt:${payment.id}`,
    toAddress: payment.receiptEmail,
    ...content,
  });
}

export async function notifyOfRefund(
  tx: Tx,
  event: OutboxMessage,
  settings: ConsumerSettings,
): Promise<void> {
  const { payment } = event;
  if (event.type !== 'refund.succeeded' || !payment.receiptEmail) return;
  const refund = await tx.refund.findUniqueOrThrow({
    where: keyOf({ tenantId: event.tenantId, id: event.sourceId }),
  });
  // The bank returned it before this e-mail was written.
  if (refund.status !== 'succeeded') return;
  const content = await renderRefundNotice({
    ...(await findPurchase(tx, event, settings)),
    amount: money(refund.amountMinor, payment.currency),
    paid: money(payment.amountMinor, payment.currency),
    refundedAt: refund.completedAt ?? event.createdAt,
  });
  await queueEmail(tx, event.tenantId, {
    dedupeKey: `refund:${refund.id}`,
    toAddress: payment.receiptEmail,
    ...content,
  });
}

function cardLabel({ cardBrand, cardLast4 }: OutboxMessage['payment']): string | undefined {
  if (!cardBrand || !cardLast4) return undefined;
  return `${cardBrand.charAt(0).toUpperCase()}${cardBrand.slice(1)} •••• ${cardLast4}`;
}

/** As on the receipt's page. Only the page asks the provider: here a transaction is open. */
async function listAttempts(tx: Tx, { payment: { tenantId, reference } }: OutboxMessage) {
  const payments = await tx.payment.findMany({
    where: { tenantId, reference },
    orderBy: { createdAt: 'asc' },
  });
  return payments.map((payment) => ({ at: payment.createdAt, label: paymentStatusLabel(payment) }));
}

/** A payment made through the API has a reference of the merchant's own, and no order of ours behind it. */
async function findPurchase(tx: Tx, event: OutboxMessage, settings: ConsumerSettings) {
  const { tenantId, reference } = event.payment;
  const tenant = await tx.organization.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  const order = await tx.order.findUnique({
    where: { tenantId_number: { tenantId, number: reference } },
    include: { lines: { orderBy: { name: 'asc' } } },
  });
  return {
    shopName: tenant.name,
    reference,
    orderedAt: order?.createdAt,
    orderUrl: order ? `${settings.publicUrl}/orders/${order.id}` : undefined,
    lines: (order?.lines ?? []).map((line) => ({
      name: line.name,
      quantity: line.quantity,
      amount: money(line.unitAmountMinor * BigInt(line.quantity), event.payment.currency),
    })),
  };
}

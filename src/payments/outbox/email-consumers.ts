import type { Prisma } from '#prisma';
import { money } from '../money.ts';
import { keyOf } from '../payment-rows.ts';
import { paymentStatusLabel } from '../payment-status-copy.ts';
import type { OutboxMessage } from './consume-event.ts';
import { type Purchase, renderReceipt, renderRefundNotice } from './emails.ts';
import { queueEmail } from './queue-email.ts';

type Tx = Prisma.TransactionClient;

/** What was bought under a reference. Undefined: the reference is the merchant's own, of a payment made through the API. */
export type DescribePurchase = (
  tx: Tx,
  tenantId: string,
  reference: string,
) => Promise<Pick<Purchase, 'orderedAt' | 'orderUrl' | 'lines'> | undefined>;

/** The receipt is issued also when it is not sent by e-mail. */
export async function sendReceipt(
  tx: Tx,
  event: OutboxMessage,
  describePurchase: DescribePurchase,
): Promise<void> {
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
    ...(await findPurchase(tx, event, describePurchase)),
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
  describePurchase: DescribePurchase,
): Promise<void> {
  const { payment } = event;
  if (event.type !== 'refund.succeeded' || !payment.receiptEmail) return;
  const refund = await tx.refund.findUniqueOrThrow({
    where: keyOf({ tenantId: event.tenantId, id: event.sourceId }),
  });
  // The bank returned it before this e-mail was written.
  if (refund.status !== 'succeeded') return;
  const content = await renderRefundNotice({
    ...(await findPurchase(tx, event, describePurchase)),
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

async function findPurchase(
  tx: Tx,
  { payment: { tenantId, reference } }: OutboxMessage,
  describePurchase: DescribePurchase,
): Promise<Purchase> {
  const tenant = await tx.organization.findUniqueOrThrow({ where: { id: tenantId }, select: { name: true } });
  const described = await describePurchase(tx, tenantId, reference);
  return {
    shopName: tenant.name,
    reference,
    ...(described ?? { orderedAt: undefined, orderUrl: undefined, lines: [] }),
  };
}

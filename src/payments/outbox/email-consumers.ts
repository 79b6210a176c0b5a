import type { Prisma } from '#prisma';
import { declineOf } from '../declines.ts';
import { holdsByCharge, shownStatusOf, withFoundCharges } from '../exceptions/found-charge.ts';
import { money } from '../money.ts';
import { byId, findLivePayment } from '../payment-rows.ts';
import { paymentStatusLabel } from '../payment-status-copy.ts';
import type { OutboxMessage } from './consume-event.ts';
import { type Purchase, renderNotCharged, renderReceipt, renderRefundNotice } from './emails.ts';
import { paymentReleased, waitingShoppers } from './emit-event.ts';
import { queueEmail } from './queue-email.ts';

type Tx = Prisma.TransactionClient;

/** What was bought under a reference. Undefined: the reference is the merchant's own, of a payment made through the API. */
export type DescribePurchase = (
  tx: Tx,
  tenantId: string,
  reference: string,
) => Promise<Pick<Purchase, 'orderedAt' | 'orderUrl' | 'lines'> | undefined>;

/** Receipts are issued also when they are not sent by e-mail. */
export async function issueReceipts(
  tx: Tx,
  events: readonly OutboxMessage[],
  describePurchase: DescribePurchase,
): Promise<void> {
  const succeeded = events.filter(({ type }) => type === 'payment.succeeded');
  if (succeeded.length === 0) return;
  // Prisma would prepare a statement anew for every number of rows.
  await tx.$executeRaw`
    INSERT INTO receipt (tenant_id, payment_id)
    SELECT * FROM unnest(${succeeded.map(({ tenantId }) => tenantId)}::text[], ${succeeded.map(({ payment }) => payment.id)}::uuid[])
    ON CONFLICT DO NOTHING`;
  for (const event of succeeded) await queueReceipt(tx, event, describePurchase);
}

async function queueReceipt(tx: Tx, event: OutboxMessage, describePurchase: DescribePurchase): Promise<void> {
  const { payment } = event;
  if (!payment.receiptEmail) return;
  const receipt = await tx.receipt.findUniqueOrThrow({
    where: { tenantId_paymentId: { tenantId: payment.tenantId, paymentId: payment.id } },
  });
  const payments = await listPayments(tx, event);
  const content = await renderReceipt({
    ...(await findPurchase(tx, event, describePurchase)),
    receiptNumber: receipt.number,
    amount: money(payment.amountMinor, payment.currency),
    paidAt: payment.completedAt ?? event.createdAt,
    payments,
    otherCharge: payments.some(({ status }) => status === 'under_review' || status === 'kept'),
    chargeId: payment.providerChargeId,
    card: cardLabel(payment),
  });
  await queueEmail(tx, event.tenantId, {
    dedupeKey: `receipt:${payment.id}`,
    toAddress: payment.receiptEmail,
    ...content,
  });
}

export async function queueRefundNotice(
  tx: Tx,
  event: OutboxMessage,
  describePurchase: DescribePurchase,
): Promise<void> {
  const { payment } = event;
  if (event.type !== 'refund.succeeded' || !payment.receiptEmail) return;
  const refund = await tx.refund.findUniqueOrThrow({
    where: byId({ tenantId: event.tenantId, id: event.sourceId }),
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

/**
 * The shop's page promises an e-mail while an outcome is being checked. For a payment that succeeded this is the receipt.
 * An order that is being paid again, or was, needs no notice about an earlier try; and of one for which a charge was found that was
 * not paid back, it is not true that nothing was charged.
 */
export async function queueOutcomeNotice(
  tx: Tx,
  event: OutboxMessage,
  describePurchase: DescribePurchase,
): Promise<void> {
  const { payment, tenantId } = event;
  if (event.type !== 'payment.declined' && event.type !== paymentReleased) return;
  if (!payment.receiptEmail) return;
  if (event.type === 'payment.declined' && !(await wasJustUnknown(tx, payment))) return;
  const purchase = await findPurchase(tx, event, describePurchase);
  if (!purchase.orderUrl || (await findLivePayment(tx, tenantId, payment.reference))) return;
  if ((await tx.payment.count({ where: { tenantId, reference: payment.reference, ...holdsByCharge } })) > 0)
    return;
  const content = await renderNotCharged({
    ...purchase,
    amount: money(payment.amountMinor, payment.currency),
    reason: event.type === 'payment.declined' ? declineOf(payment.declineCode).title : undefined,
  });
  await queueEmail(tx, tenantId, {
    dedupeKey: `not_charged:${payment.id}:${event.id}`,
    toAddress: payment.receiptEmail,
    ...content,
  });
}

/**
 * Whether the attempt that the bank declined had become unknown: earlier ones may have been, and this one have been declined at
 * once. Shoppers who cancelled the payment, or came back from their bank, see the outcome on the page.
 */
async function wasJustUnknown(
  tx: Tx,
  { tenantId, operationId }: { readonly tenantId: string; readonly operationId: string },
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT FROM operation WHERE tenant_id = ${tenantId} AND id = ${operationId}::uuid
      AND resolved_at = completed_at AND transition_actor <> ALL (${waitingShoppers})`;
  return rows.length === 1;
}

function cardLabel({ cardBrand, cardLast4 }: OutboxMessage['payment']): string | undefined {
  if (!cardBrand || !cardLast4) return undefined;
  return `${cardBrand.charAt(0).toUpperCase()}${cardBrand.slice(1)} •••• ${cardLast4}`;
}

/** As on the receipt's page. Only the page asks the provider: here a transaction is open. */
async function listPayments(tx: Tx, { payment: { tenantId, reference } }: OutboxMessage) {
  const payments = await tx.payment.findMany({
    where: { tenantId, reference },
    orderBy: { createdAt: 'asc' },
    include: withFoundCharges,
  });
  return payments.map((payment) => {
    const status = shownStatusOf(payment);
    return { at: payment.createdAt, status, label: paymentStatusLabel({ ...payment, status }) };
  });
}

async function findPurchase(
  tx: Tx,
  { payment: { tenantId, reference } }: OutboxMessage,
  describePurchase: DescribePurchase,
): Promise<Purchase> {
  const tenant = await tx.organization.findUniqueOrThrow({
    where: { id: tenantId },
    select: { name: true, contactEmail: true },
  });
  const described = await describePurchase(tx, tenantId, reference);
  return {
    shopName: tenant.name,
    contactEmail: tenant.contactEmail ?? undefined,
    reference,
    ...(described ?? { orderedAt: undefined, orderUrl: undefined, lines: [] }),
  };
}

import type { Prisma } from '#prisma';
import type { Payment } from './payment.ts';

/**
 * Double entry: what the provider owes us for the merchant, and what we owe the merchant. Unique per (kind, payment,
 * account), and the database refuses a commit in which the entries of a payment do not sum to zero.
 */
export async function bookPayment(tx: Prisma.TransactionClient, payment: Payment): Promise<void> {
  const entry = {
    tenantId: payment.tenantId,
    paymentId: payment.id,
    kind: 'payment',
    currency: payment.currency,
  };
  await tx.ledgerEntry.createMany({
    data: [
      { ...entry, account: 'provider_receivable', amountMinor: payment.amountMinor },
      { ...entry, account: 'merchant_payable', amountMinor: -payment.amountMinor },
    ],
  });
}

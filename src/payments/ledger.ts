import type { Prisma } from '#prisma';
import type { Payment } from './payment.ts';

/**
 * Double entry: what the provider owes us for the merchant, and what we owe the merchant. Unique per (kind, source,
 * account), and the database refuses a statement whose entries of a source do not sum to zero. The booking of a payment
 * is in its row statement (operations/create-payment/row-statements.ts).
 */
export async function book(
  tx: Prisma.TransactionClient,
  payment: Payment,
  booking: {
    readonly kind: 'refund' | 'refund_failed';
    readonly sourceId: string;
    readonly amountMinor: number;
  },
): Promise<void> {
  const { kind, sourceId, amountMinor } = booking;
  const received = kind === 'refund' ? -amountMinor : amountMinor;
  const entry = {
    tenantId: payment.tenantId,
    paymentId: payment.id,
    kind,
    sourceId,
    currency: payment.currency,
  };
  await tx.ledgerEntry.createMany({
    data: [
      { ...entry, account: 'provider_receivable', amountMinor: received },
      { ...entry, account: 'merchant_payable', amountMinor: -received },
    ],
  });
}

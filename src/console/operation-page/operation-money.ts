import { money } from '#payments/money.ts';
import type { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

/** What the operation was about, and everything that has happened to that money since. */
export async function operationMoney(db: Db, tenantId: string, operationId: string) {
  const refund = await db.refund.findFirst({ where: { operationId, tenantId } });
  const payment = await db.payment.findFirst({
    where: refund ? { id: refund.paymentId, tenantId } : { operationId, tenantId },
    include: {
      ledger: { orderBy: { id: 'asc' } },
      refunds: { orderBy: { createdAt: 'asc' } },
      lateTruths: { orderBy: { foundAt: 'asc' } },
    },
  });
  if (!payment) return null;
  const { currency } = payment;
  return {
    payment: {
      id: payment.id,
      operationId: payment.operationId,
      reference: payment.reference,
      amount: money(payment.amountMinor, currency),
      refunded: money(payment.refundedMinor, currency),
      card: cardWords(payment.paymentMethod),
      receiptTo: payment.receiptEmail && masked(payment.receiptEmail),
      status: payment.status,
      declineCode: payment.declineCode,
      generation: payment.generation,
      intentId: payment.providerIntentId,
      chargeId: payment.providerChargeId,
      createdAt: payment.createdAt.toISOString(),
      settledAt: payment.settledAt?.toISOString() ?? null,
    },
    refund: refund && {
      id: refund.id,
      amount: money(refund.amountMinor, currency),
      status: refund.status,
      providerId: refund.providerRefundId,
    },
    ledger: payment.ledger.map((entry) => ({
      id: String(entry.id),
      kind: entry.kind,
      account: entry.account,
      amount: money(entry.amountMinor, currency),
      at: entry.at.toISOString(),
    })),
    refunds: payment.refunds.map((row) => ({
      id: row.id,
      operationId: row.operationId,
      amount: money(row.amountMinor, currency),
      status: row.status,
      at: (row.failedAt ?? row.settledAt ?? row.createdAt).toISOString(),
    })),
    lateTruths: payment.lateTruths.map((row) => ({
      id: row.id,
      reason: row.reason,
      status: row.status,
      at: row.foundAt.toISOString(),
    })),
  };
}

/** A payment method's id is no card data; its beginning tells test cards apart, its end finds it at the provider. */
function cardWords(paymentMethod: string): string {
  if (/^pm_(card|fault)_/.test(paymentMethod)) return paymentMethod;
  return paymentMethod.length > 16
    ? `${paymentMethod.slice(0, 6)}…${paymentMethod.slice(-6)}`
    : paymentMethod;
}

function masked(email: string): string {
  const [name = '', host = ''] = email.split('@');
  return `${name.slice(0, 1)}…@${host}`;
}

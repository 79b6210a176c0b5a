import type { OperationRef } from '#idempotency/index.ts';
import { moneyOfOperation } from '#payments/index.ts';
import { money } from '#payments/money.ts';
import { Prisma } from '#prisma';

type Db = Prisma.TransactionClient;

interface OwnRow {
  readonly payment_id: string;
  readonly own_id: string;
  readonly amount_minor: bigint;
  readonly status: string;
  readonly provider_id: string | null;
}

/** The operation's own row, the payment that it is about, and everything that has happened to that money since. */
export async function operationMoney(db: Db, { tenantId, id }: OperationRef) {
  const [own] = await db.$queryRaw<OwnRow[]>(
    moneyOfOperation(Prisma.sql`${tenantId}`, Prisma.sql`${id}::uuid`),
  );
  if (!own) return null;
  const payment = await db.payment.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: own.payment_id } },
    include: {
      // The two sides of a booking have the same time; the account keeps them in the same order on every page.
      ledger: { orderBy: [{ at: 'asc' }, { kind: 'asc' }, { sourceId: 'asc' }, { account: 'desc' }] },
      refunds: { orderBy: { createdAt: 'asc' } },
      exceptions: { orderBy: { foundAt: 'asc' } },
    },
  });
  const { currency } = payment;
  return {
    /** For a payment this is the payment's row. */
    own: {
      id: own.own_id,
      amount: money(own.amount_minor, currency),
      status: own.status,
      providerId: own.provider_id,
    },
    payment: {
      id: payment.id,
      operationId: payment.operationId,
      reference: payment.reference,
      amount: money(payment.amountMinor, currency),
      refunded: money(payment.refundedMinor, currency),
      card: cardLabel(payment.paymentMethod),
      receiptTo: payment.receiptEmail && masked(payment.receiptEmail),
      status: payment.status,
      declineCode: payment.declineCode,
      generation: payment.generation,
      intentId: payment.providerIntentId,
      chargeId: payment.providerChargeId,
      createdAt: payment.createdAt.toISOString(),
      completedAt: payment.completedAt?.toISOString() ?? null,
    },
    ledger: payment.ledger.map((entry) => ({
      id: `${entry.sourceId}:${entry.kind}:${entry.account}`,
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
      at: (row.failedAt ?? row.completedAt ?? row.createdAt).toISOString(),
    })),
    exceptions: payment.exceptions.map((row) => ({
      id: row.id,
      reason: row.reason,
      status: row.status,
      at: row.foundAt.toISOString(),
    })),
  };
}

/** A payment method's id is no card data; its beginning tells test cards apart, its end finds it at the provider. */
function cardLabel(paymentMethod: string): string {
  if (/^pm_(card|fault)_/.test(paymentMethod)) return paymentMethod;
  return paymentMethod.length > 16
    ? `${paymentMethod.slice(0, 6)}…${paymentMethod.slice(-6)}`
    : paymentMethod;
}

function masked(email: string): string {
  const [name = '', host = ''] = email.split('@');
  return `${name.slice(0, 1)}…@${host}`;
}

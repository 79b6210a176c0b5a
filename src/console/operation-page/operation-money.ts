import type { OperationRef } from '#idempotency/index.ts';
import { holdsFoundCharge, isRefundable, moneyOfOperation } from '#payments/index.ts';
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

/** The operation's own row, its payment, and the ledger, refunds and exceptions of that payment. */
export async function operationMoney(db: Db, { tenantId, id }: OperationRef) {
  const [own] = await db.$queryRaw<OwnRow[]>(
    moneyOfOperation(Prisma.sql`${tenantId}`, Prisma.sql`${id}::uuid`),
  );
  if (!own) return null;
  const { currency, ...about } = await paymentMoney(db, tenantId, own.payment_id);
  return {
    /** For a payment this is the payment's row. */
    own: {
      id: own.own_id,
      amount: money(own.amount_minor, currency),
      status: own.status,
      providerId: own.provider_id,
    },
    ...about,
  };
}

/** A payment with its ledger, refunds and exceptions. */
export async function paymentMoney(db: Db, tenantId: string, paymentId: string) {
  const payment = await db.payment.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id: paymentId } },
    include: {
      // The two entries of a booking have the same time; sorting by account keeps their order stable.
      ledger: { orderBy: [{ at: 'asc' }, { kind: 'asc' }, { sourceId: 'asc' }, { account: 'desc' }] },
      refunds: { orderBy: { createdAt: 'asc' } },
      exceptions: { orderBy: { foundAt: 'asc' } },
    },
  });
  const { currency } = payment;
  const pendingMinor = payment.refunds
    .filter(({ status }) => status === 'pending')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  return {
    currency,
    payment: {
      id: payment.id,
      operationId: payment.operationId,
      reference: payment.reference,
      amount: money(payment.amountMinor, currency),
      refunded: money(payment.refundedMinor - pendingMinor, currency),
      /** Of refunds whose outcome is not known yet. It cannot be refunded a second time meanwhile. */
      refundsPending: money(pendingMinor, currency),
      card: cardLabel(payment.paymentMethod),
      cardBrand: payment.cardBrand,
      cardLast4: payment.cardLast4,
      email: payment.receiptEmail,
      status: payment.status,
      /** It ended unpaid, and the provider has charged it: an operator decides about that, or has kept it. */
      foundCharged: holdsFoundCharge({
        status: payment.status,
        exceptions: payment.exceptions.filter(({ intentId }) => intentId !== null),
      }),
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
      status: row.status as 'open' | 'refunded' | 'booked' | 'dismissed',
      returned: row.reason === 'refund_failed',
      refundable: isRefundable(row),
      at: row.foundAt.toISOString(),
    })),
  };
}

/** A payment method's id is not card data. Its beginning identifies test cards, its end finds it at the provider. */
function cardLabel(paymentMethod: string): string {
  if (/^pm_(card|fault)_/.test(paymentMethod)) return paymentMethod;
  return paymentMethod.length > 16
    ? `${paymentMethod.slice(0, 6)}…${paymentMethod.slice(-6)}`
    : paymentMethod;
}

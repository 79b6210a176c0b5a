import type { Prisma } from '#prisma';
import { auditAbout } from '../audit/list-audit.ts';
import { operationMessages } from '../operation-page/operation-messages.ts';
import { paymentMoney } from '../operation-page/operation-money.ts';
import { readOperations } from '../operations-list/list-operations.ts';
import { readRefundLimits, refundedAlone } from '../refunds/refund-limits.ts';
import { refundProposalsOf } from '../refunds/refund-proposals.ts';
import { outcomeOf } from './payment-filter.ts';

type Db = Prisma.TransactionClient;

/** Everything the page shows of one payment. Undefined for another tenant's payment and for one that does not exist. */
export async function findPayment(db: Db, tenantId: string, id: string) {
  const exists = await db.payment.findUnique({
    where: { tenantId_id: { tenantId, id } },
    select: { reference: true },
  });
  if (!exists) return undefined;
  const [{ currency: _, ...about }, order, proposals, audit, limits, alone] = await Promise.all([
    paymentMoney(db, tenantId, id),
    // The shop names its payments after their orders. A payment over the API may have a name without an order.
    db.order.findUnique({
      where: { tenantId_number: { tenantId, number: exists.reference } },
      select: { id: true, number: true },
    }),
    refundProposalsOf(db, tenantId, id),
    auditAbout(db, tenantId, 'payment', id),
    readRefundLimits(db, tenantId),
    refundedAlone(db, tenantId, id),
  ]);
  const { payment, refunds } = about;
  const sources = [
    { operationId: payment.operationId, sourceId: id },
    ...refunds.map((refund) => ({ operationId: refund.operationId, sourceId: refund.id })),
  ];
  const [operations, messages] = await Promise.all([
    readOperations(
      db,
      [tenantId],
      sources.map(({ operationId }) => operationId),
    ),
    Promise.all(
      sources.map(({ operationId, sourceId }) =>
        operationMessages(db, { tenantId, id: operationId }, sourceId),
      ),
    ),
  ]);
  return {
    ...about,
    outcome: outcomeOf(payment),
    order,
    /** In the order in which they were made. A record is deleted one day, and then is not here. */
    operations: operations.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)),
    messages: {
      received: messages.flatMap(({ received }) => received),
      events: messages.flatMap(({ events }) => events),
    },
    proposals,
    audit,
    refundable: {
      amountMinor:
        payment.status === 'succeeded'
          ? payment.amount.amountMinor - payment.refunded.amountMinor - payment.refundsPending.amountMinor
          : 0,
      currency: payment.amount.currency,
    },
    /** See RefundRequest. */
    refundsBefore: refunds.filter(({ status }) => status !== 'released').length,
    /** Above this a refund takes a second person; null: never. */
    refundLimit: limits.find(({ currency }) => currency === payment.amount.currency) ?? null,
    /** Counts towards the limit: what operators have refunded of it without a second person. */
    refundedAlone: { amountMinor: alone, currency: payment.amount.currency },
  };
}

/** Of the payment and its refunds, in no order. Empty for another tenant's payment. */
export async function operationsOfPayment(db: Db, tenantId: string, id: string): Promise<string[]> {
  const payment = await db.payment.findUnique({
    where: { tenantId_id: { tenantId, id } },
    select: { operationId: true, refunds: { select: { operationId: true } } },
  });
  if (!payment) return [];
  return [payment.operationId, ...payment.refunds.map(({ operationId }) => operationId)];
}

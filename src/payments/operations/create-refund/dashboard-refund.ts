import { z } from 'zod';
import { derivedUuid, type OperationRef } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import type { Followed, NoEvidence, ProviderEvent } from '#payments/event-follower.ts';
import type { Payment } from '#payments/payment.ts';
import { findPaymentByOperation, lockPayment } from '#payments/payment-rows.ts';
import type { ProviderRefund } from '#payments/provider.ts';
import { dashboardPrefix } from '#payments/refund-references.ts';
import type { Prisma } from '#prisma';
import type { KindParts } from '../operation-kind.ts';
import { completeRefund, failRefund, releaseRefund } from './complete-refund.ts';
import { findRefundByOperation, reserveRefund } from './refund.ts';

type Tx = Prisma.TransactionClient;

/** A refund that an event without our metadata is about, and its payment. */
export interface DashboardRefund {
  readonly payment: Payment;
  readonly refund: ProviderRefund;
}

/** As the provider has it now. Undefined: it is not of a payment that is booked. */
export async function findDashboardRefund(
  { db, provider }: KindParts,
  { operation, objectId: refundId, intentId }: ProviderEvent,
): Promise<DashboardRefund | NoEvidence | undefined> {
  const payment = await findPaymentByOperation(db, operation);
  if (payment?.status !== 'succeeded' || payment.providerIntentId !== intentId) return undefined;
  if (intentId === undefined || refundId === undefined) return undefined;
  const found = await provider.findRefund({ ...payment, intentId, refundId });
  // The event says that there is one. A list may lag, and nothing else would ask again.
  if (!found) return { kind: 'no_evidence', code: 'refund_not_found' };
  if (found.kind !== 'responded') return { kind: 'no_evidence', code: found.code };
  return { payment, refund: found.refund };
}

/**
 * The operation of ours that made the refund, although the event does not name it: metadata can be changed in the dashboard. It is
 * booked already, or will be, and must not be a second time.
 */
export async function findMaker(
  { db }: Pick<KindParts, 'db'>,
  { payment: { tenantId, id: paymentId }, refund }: DashboardRefund,
): Promise<OperationRef | undefined> {
  const named = z.guid().safeParse(refund.operationId).data;
  const { id: ofDashboard } = dashboardOperation(tenantId, refund.id);
  const row = await db.refund.findFirst({
    where: {
      ...{ tenantId, paymentId, operationId: { not: ofDashboard } },
      OR: [{ providerRefundId: refund.id }, ...(named ? [{ operationId: named }] : [])],
    },
  });
  return row ? { tenantId, id: row.operationId } : undefined;
}

/**
 * A refund that the merchant made in the provider's dashboard. The money is gone, so it counts against what can still be refunded,
 * is booked, and the merchant and the shopper are notified as of any other. It has a row, and no record: no key made it.
 */
export async function recordDashboardRefund(
  { db }: Pick<KindParts, 'db'>,
  { payment, refund }: DashboardRefund,
): Promise<Followed | undefined> {
  // The amount would be booked in the payment's currency.
  if (refund.currency !== payment.currency) return { kind: 'no_evidence', code: 'contradictory' };
  try {
    return await db.$transaction((tx) => recordRefund(tx, payment, refund));
  } catch (error) {
    // A refund of ours that is under way has reserved what the dashboard has refunded. The provider refuses one of the two, and
    // when that is known there is room for the other.
    if (sqlState(error) === '23514') return { kind: 'no_evidence', code: 'refund_exceeds_payment' };
    throw error;
  }
}

async function recordRefund(tx: Tx, payment: Payment, found: ProviderRefund): Promise<Followed | undefined> {
  await lockPayment(tx, payment);
  const operation = dashboardOperation(payment.tenantId, found.id);
  const existing = await findRefundByOperation(tx, operation);
  if (found.state === 'failed') {
    if (existing?.status === 'pending') await releaseRefund(tx, operation, 'kept');
    else if (!existing || !(await failRefund(tx, existing))) return undefined;
    return { kind: 'changed', outcome: 'refund_failed' };
  }
  if (existing?.status === 'succeeded' || existing?.status === 'failed') return undefined;
  const reference = `${dashboardPrefix}${found.id}`;
  const { amountMinor } = found;
  // One that failed while it was pending was released, and is reserved again.
  const refund =
    existing?.status === 'pending'
      ? existing
      : await reserveRefund(tx, operation, { paymentId: payment.id, reference, amountMinor });
  if (!refund) return { kind: 'no_evidence', code: 'payment_not_refundable' };
  if (found.state === 'succeeded') await completeRefund(tx, refund, found.id, 'evidence');
  return { kind: 'changed', outcome: 'dashboard_refund' };
}

/** Derived from the provider's id, so that the refund is recorded once, however many events there are about it. */
export function dashboardOperation(tenantId: string, refundId: string): OperationRef {
  return { tenantId, id: derivedUuid(['paidonce refund made in the dashboard', tenantId, refundId]) };
}

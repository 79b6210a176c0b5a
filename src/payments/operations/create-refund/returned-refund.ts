import { derivedUuid, type OperationRef } from '#idempotency/index.ts';
import type { Followed } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { byId, lockPayment } from '#payments/payment-rows.ts';
import type { ProviderRefund } from '#payments/provider.ts';
import { dashboardPrefix } from '#payments/refund-references.ts';
import type { Prisma } from '#prisma';
import type { KindParts } from '../operation-kind.ts';
import { completeRefund, failRefund } from './complete-refund.ts';
import { findRefundByOperation, type Refund, reserveRefund } from './refund.ts';

type Tx = Prisma.TransactionClient;

/**
 * A refund that the bank had returned, and that the provider calls succeeded after all. What was booked back stays so, and what
 * was announced as failed too: the money that has left is recorded as a refund of its own, like one of the dashboard, if so much is
 * left of the payment. An operator is shown it in any case, because the shopper may have been paid in another way meanwhile.
 */
export async function followReturned(
  { db, provider }: Pick<KindParts, 'db' | 'provider'>,
  returned: Refund,
  intentId: string,
  objectId: string | undefined,
): Promise<Followed | undefined> {
  const refundId = returned.providerRefundId ?? objectId;
  const { tenantId, operationId } = returned;
  const found = await provider.findRefund({ tenantId, operationId, intentId, ...(refundId && { refundId }) });
  if (!found) return undefined;
  if (found.kind !== 'responded') {
    return found.code === 'resource_missing' ? undefined : { kind: 'no_evidence', code: found.code };
  }
  // The amount would be booked in the payment's currency.
  if (found.refund.currency !== returned.payment.currency)
    return { kind: 'no_evidence', code: 'contradictory' };
  return db.$transaction((tx) => recordReturned(tx, returned, found.refund));
}

async function recordReturned(
  tx: Tx,
  returned: Refund,
  found: ProviderRefund,
): Promise<Followed | undefined> {
  const { tenantId, payment } = returned;
  await lockPayment(tx, payment);
  const last = await findLast(tx, returned);
  if (found.state === 'failed') {
    return last.status === 'succeeded' && (await failRefund(tx, last))
      ? { kind: 'changed', outcome: 'refund_failed' }
      : undefined;
  }
  if (found.state !== 'succeeded' || last.status !== 'failed') return undefined;
  const about = { tenantId, refundId: last.id, reason: 'refund_not_returned' } as const;
  const isNew = await openException(tx, { ...about, paymentId: payment.id });
  const isShown = isNew || (await tx.reconciliationException.count({ where: about })) > 0;
  // An operator refunds it again at this moment, and how that ends is waited for.
  if (!isShown) return { kind: 'no_evidence', code: 'refund_pending' };
  // What took its place may have been returned since it was shown.
  const isBookable = await isLeft(tx, last, found.amountMinor);
  if (isBookable) await bookAgain(tx, last, found);
  if (isNew) return { kind: 'changed', outcome: 'exception' };
  return isBookable ? { kind: 'changed', outcome: 'refund_booked' } : undefined;
}

/** It may be returned and paid more than once. Each time that it is paid it has another row. */
async function findLast(tx: Tx, returned: Refund): Promise<Refund> {
  let last = returned;
  while (last.status === 'failed') {
    const next = await findRefundByOperation(tx, paidAfter(last));
    if (!next) break;
    last = next;
  }
  return last;
}

/** Of the operation of a refund that was returned: that of the row which says that it was paid afterwards. No key made it. */
function paidAfter({ tenantId, operationId }: Refund): OperationRef {
  return { tenantId, id: derivedUuid(['paidonce refund paid after it was returned', tenantId, operationId]) };
}

/** The payment is locked. */
async function isLeft(tx: Tx, { payment }: Refund, amountMinor: number): Promise<boolean> {
  const row = await tx.payment.findUniqueOrThrow({ where: byId(payment) });
  return row.refundedMinor + BigInt(amountMinor) <= row.amountMinor;
}

/** A refund of the provider is booked once, so its id moves to the new row. */
async function bookAgain(tx: Tx, last: Refund, { id, amountMinor }: ProviderRefund): Promise<void> {
  await tx.refund.update({ where: byId(last), data: { providerRefundId: null } });
  const command = { paymentId: last.payment.id, reference: `${dashboardPrefix}${id}`, amountMinor };
  const reserved = await reserveRefund(tx, paidAfter(last), command);
  if (!reserved) throw new Error(`Nothing is left of payment ${last.payment.id}, of which so much was left.`);
  await completeRefund(tx, reserved, id, 'evidence');
}

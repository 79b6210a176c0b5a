import type { OperationRef } from '#idempotency/index.ts';
import { closeRefunded, closeRefundedInFull, openException } from '#payments/exceptions/open-exception.ts';
import { book } from '#payments/ledger.ts';
import { emitPaymentEvent } from '#payments/outbox/emit-event.ts';
import { lockPayment, operationOf } from '#payments/payment-rows.ts';
import type { Prisma } from '#prisma';
import { findRefundByOperation, type Refund, reserveRefund } from './refund.ts';

type Tx = Prisma.TransactionClient;

/**
 * The final writes of a refund, for the transaction that also completes its operation. The payment is locked before the refund, for
 * the reason of `releaseRefund`. Evidence may come before the next attempt has reserved again what the last one released.
 */
export async function completeRefund(
  tx: Tx,
  refund: Refund,
  providerRefundId: string | undefined,
  by: 'evidence' | 'assertion',
): Promise<void> {
  await lockPayment(tx, refund.payment);
  const succeed = () => tx.$executeRaw`
    UPDATE refund SET status = 'succeeded', provider_refund_id = ${providerRefundId ?? null},
      completed_at = clock_timestamp(), asserted_at = CASE WHEN ${by === 'assertion'} THEN clock_timestamp() END
    WHERE tenant_id = ${refund.tenantId} AND id = ${refund.id}::uuid AND status = 'pending'`;
  if ((await succeed()) === 0) {
    await reserveAgain(tx, refund);
    await succeed();
  }
  await book(tx, refund.payment, { kind: 'refund', sourceId: refund.id, amountMinor: refund.amountMinor });
  await emitPaymentEvent(tx, refund.payment, 'refund.succeeded', refund.id);
  await closeRefunded(tx, refund);
  await closeRefundedInFull(tx, refund.payment);
}

/** The row may also have been lost with the database that had it. Then nothing is booked before it was restored. */
async function reserveAgain(tx: Tx, refund: Refund): Promise<void> {
  const operation = operationOf(refund);
  const current = await findRefundByOperation(tx, operation);
  const reserved =
    current?.status === 'released' &&
    (await reserveRefund(tx, operation, { paymentId: current.payment.id, reference: current.reference }));
  if (!reserved) throw new Error(`Refund ${refund.id} is ${current?.status ?? 'missing'}, and not reserved.`);
}

/**
 * Nothing was paid back: the reservation ends. The next try is a new generation where the provider would replay what it
 * saved under the old downstream key. The payment is locked before the refund, as where another refund is reserved, which waits
 * for this one if it has the same reference: otherwise each would wait for the other.
 */
export async function releaseRefund(
  tx: Tx,
  { tenantId, id: operationId }: OperationRef,
  generation: 'kept' | 'next',
): Promise<void> {
  await tx.$executeRaw`
    WITH locked AS (
      SELECT refund.id FROM refund JOIN payment USING (tenant_id)
      WHERE refund.tenant_id = ${tenantId} AND refund.operation_id = ${operationId}::uuid AND payment.id = payment_id
      FOR NO KEY UPDATE OF payment),
    released AS (
      UPDATE refund SET status = 'released', generation = generation + ${generation === 'next' ? 1 : 0}::int
      FROM locked WHERE tenant_id = ${tenantId} AND refund.id = locked.id AND status = 'pending'
      RETURNING payment_id, amount_minor)
    UPDATE payment p SET refunded_minor = p.refunded_minor - released.amount_minor
    FROM released WHERE p.tenant_id = ${tenantId} AND p.id = released.payment_id`;
}

/**
 * A bank returned a refund that had succeeded. The stored response stays as it was, and the books are corrected: the amount
 * can be refunded again, the merchant is notified, and an exception is opened for an operator. It happens once, however
 * often the event is received.
 */
export async function failRefund(tx: Tx, refund: Refund): Promise<boolean> {
  await lockPayment(tx, refund.payment);
  const failed = await tx.$executeRaw`
    WITH failed AS (
      UPDATE refund SET status = 'failed', failed_at = clock_timestamp()
      WHERE tenant_id = ${refund.tenantId} AND id = ${refund.id}::uuid AND status = 'succeeded'
      RETURNING payment_id, amount_minor)
    UPDATE payment p SET refunded_minor = p.refunded_minor - failed.amount_minor
    FROM failed WHERE p.tenant_id = ${refund.tenantId} AND p.id = failed.payment_id`;
  if (failed === 0) return false;
  await book(tx, refund.payment, {
    kind: 'refund_failed',
    sourceId: refund.id,
    amountMinor: refund.amountMinor,
  });
  await emitPaymentEvent(tx, refund.payment, 'refund.failed', refund.id);
  await openException(tx, {
    tenantId: refund.tenantId,
    paymentId: refund.payment.id,
    refundId: refund.id,
    reason: 'refund_failed',
  });
  return true;
}

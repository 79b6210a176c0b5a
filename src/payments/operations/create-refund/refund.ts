import { randomUUID } from 'node:crypto';
import type { Prisma } from '#prisma';
import { book } from '#payments/ledger.ts';
import type { Currency } from '#payments/money.ts';
import { emitPaymentEvent } from '#payments/outbox/emit-event.ts';
import type { Payment } from '#payments/payment.ts';
import { paymentOf } from '#payments/payment-rows.ts';

type Tx = Prisma.TransactionClient;

/**
 * A refund reserves its amount on the payment before the provider hears of it, and gives it back if it is proven not
 * to have happened. The reservation is a counter with a CHECK, so refunds can never exceed what was paid.
 *
 * - `pending`: executing or uncertain; its amount is reserved.
 * - `succeeded`: the provider has paid it back.
 * - `failed`: it had succeeded, and the provider said later that the money came back, such as from a closed account.
 * - `released`: proven not to have happened; its own key may try again (back to `pending`, under a new generation if
 *   the provider made the refund and it failed there: the old downstream key would replay how it began).
 */
export interface Refund {
  readonly id: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly amountMinor: number;
  readonly generation: number;
  readonly status: 'pending' | 'succeeded' | 'released' | 'failed';
  readonly payment: Payment;
}

export interface RefundAnswer {
  readonly refundId: string;
  readonly operationId: string;
  readonly paymentId: string;
  readonly status: 'succeeded';
  readonly amountMinor: number;
  readonly currency: Currency;
}

export function refundAnswer(refund: Refund): RefundAnswer {
  return {
    refundId: refund.id,
    operationId: refund.operationId,
    paymentId: refund.payment.id,
    status: 'succeeded',
    amountMinor: refund.amountMinor,
    currency: refund.payment.currency,
  };
}

export async function findRefundByOperation(db: Tx, operationId: string): Promise<Refund | undefined> {
  const row = await db.refund.findUnique({ where: { operationId }, include: { payment: true } });
  if (!row) return undefined;
  const { id, tenantId, generation } = row;
  const amountMinor = Number(row.amountMinor);
  const status = row.status as Refund['status'];
  return { id, tenantId, operationId, amountMinor, generation, status, payment: paymentOf(row.payment) };
}

/** Without an amount: all that is left. Undefined: there is nothing to refund. The CHECK refuses what is too much. */
export async function reserveRefund(
  tx: Tx,
  operationId: string,
  command: {
    readonly tenantId: string;
    readonly paymentId: string;
    readonly amountMinor?: number | undefined;
  },
): Promise<Refund | undefined> {
  const existing = await findRefundByOperation(tx, operationId);
  const wanted = existing?.amountMinor ?? command.amountMinor ?? null;
  const [reserved] = await tx.$queryRaw<{ taken: bigint }[]>`
    UPDATE payment p SET refunded_minor = p.refunded_minor + coalesce(${wanted}::bigint, p.amount_minor - p.refunded_minor)
    FROM (SELECT id, refunded_minor FROM payment WHERE id = ${command.paymentId}::uuid FOR UPDATE) before
    WHERE p.id = before.id AND p.tenant_id = ${command.tenantId} AND p.status = 'succeeded'
      AND p.refunded_minor < p.amount_minor
    RETURNING p.refunded_minor - before.refunded_minor AS taken`;
  if (!reserved) return undefined;
  if (existing) {
    await tx.refund.update({ where: { id: existing.id }, data: { status: 'pending' } });
    return existing;
  }
  await tx.refund.create({
    data: {
      id: randomUUID(),
      tenantId: command.tenantId,
      paymentId: command.paymentId,
      operationId,
      amountMinor: reserved.taken,
      status: 'pending',
    },
  });
  return findRefundByOperation(tx, operationId);
}

/** The final writes of a refund, for the transaction that also completes its operation. */
export async function settleRefund(
  tx: Tx,
  refund: Refund,
  providerRefundId: string | undefined,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE refund SET status = 'succeeded', provider_refund_id = ${providerRefundId ?? null}, settled_at = clock_timestamp()
    WHERE id = ${refund.id}::uuid`;
  await book(tx, refund.payment, { kind: 'refund', sourceId: refund.id, amountMinor: refund.amountMinor });
  await emitPaymentEvent(tx, refund.payment, 'refund.succeeded', refund.id);
  // Whoever asked for it may be long gone by now: the money itself says that the late truth is dealt with.
  await tx.$executeRaw`
    UPDATE late_truth SET status = 'refunded', decided_at = clock_timestamp()
    WHERE refund_operation_id = ${refund.operationId}::uuid AND status = 'open'`;
}

/** Nothing was paid back: the reservation ends. A refund that failed at the provider stays failed; the next try is a new one. */
export async function releaseRefund(
  tx: Tx,
  operationId: string,
  refund: 'never_made' | 'failed',
): Promise<void> {
  await tx.$executeRaw`
    WITH released AS (
      UPDATE refund SET status = 'released', generation = generation + ${refund === 'failed' ? 1 : 0}::int
      WHERE operation_id = ${operationId}::uuid AND status = 'pending'
      RETURNING payment_id, amount_minor)
    UPDATE payment p SET refunded_minor = p.refunded_minor - released.amount_minor
    FROM released WHERE p.id = released.payment_id`;
}

/**
 * What had been paid back came back. The answer that was given stays as it was; the books say what is true now: the
 * amount can be refunded again, the merchant is told, and a person is asked what to do. Once, however often it is heard of.
 */
export async function failRefund(tx: Tx, refund: Refund): Promise<boolean> {
  const failed = await tx.$executeRaw`
    WITH failed AS (
      UPDATE refund SET status = 'failed', failed_at = clock_timestamp()
      WHERE id = ${refund.id}::uuid AND status = 'succeeded'
      RETURNING payment_id, amount_minor)
    UPDATE payment p SET refunded_minor = p.refunded_minor - failed.amount_minor
    FROM failed WHERE p.id = failed.payment_id`;
  if (failed === 0) return false;
  await book(tx, refund.payment, {
    kind: 'refund_failed',
    sourceId: refund.id,
    amountMinor: refund.amountMinor,
  });
  await emitPaymentEvent(tx, refund.payment, 'refund.failed', refund.id);
  await tx.lateTruth.create({
    data: {
      tenantId: refund.tenantId,
      paymentId: refund.payment.id,
      refundId: refund.id,
      reason: 'refund_failed',
    },
  });
  return true;
}

import { derivedUuid, type OperationRef } from '#idempotency/index.ts';
import type { Currency, Money } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import { byId, paymentOf } from '#payments/payment-rows.ts';
import type { Prisma } from '#prisma';

type Tx = Prisma.TransactionClient;

/**
 * A refund reserves its amount on the payment before it is sent to the provider, and releases it if it is proven not to
 * have happened. The reservation is a counter with a CHECK, so refunds can never exceed what was paid.
 *
 * - `pending`: executing or uncertain; its amount is reserved.
 * - `succeeded`: the provider has paid it back.
 * - `failed`: it had succeeded, and the money came back later, such as from a closed account.
 * - `released`: proven not to have happened; its own key may try again (back to `pending`, under a new generation if
 *   the provider made the refund and it failed there: the old downstream key would replay how it began).
 */
export interface Refund {
  readonly id: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly generation: number;
  readonly status: 'pending' | 'succeeded' | 'released' | 'failed';
  readonly providerRefundId: string | undefined;
  /** Booked on an operator's assertion, which the provider has not confirmed so far. */
  readonly asserted: boolean;
  readonly payment: Payment;
}

export interface RefundResponse {
  readonly refundId: string;
  readonly operationId: string;
  readonly paymentId: string;
  readonly status: 'succeeded';
  readonly amountMinor: number;
  readonly currency: Currency;
}

export function refundResponse(refund: Refund): RefundResponse {
  return {
    refundId: refund.id,
    operationId: refund.operationId,
    paymentId: refund.payment.id,
    status: 'succeeded',
    amountMinor: refund.amountMinor,
    currency: refund.payment.currency,
  };
}

/** Derived from the operation, as a payment's id is. */
export function refundIdOf({ tenantId, id }: OperationRef): string {
  return derivedUuid(['paidonce refund', tenantId, id]);
}

/** What the provider was asked to pay back. */
export function requestedRefund(refund: Refund): Money {
  return { amountMinor: refund.amountMinor, currency: refund.payment.currency };
}

export async function findRefundByOperation(
  db: Tx,
  { tenantId, id: operationId }: OperationRef,
): Promise<Refund | undefined> {
  const row = await db.refund.findUnique({
    where: { tenantId_operationId: { tenantId, operationId } },
    include: { payment: true },
  });
  if (!row) return undefined;
  const { id, reference, generation } = row;
  const amountMinor = Number(row.amountMinor);
  const status = row.status as Refund['status'];
  return {
    id,
    tenantId,
    operationId,
    reference,
    amountMinor,
    generation,
    status,
    providerRefundId: row.providerRefundId ?? undefined,
    asserted: row.assertedAt !== null,
    payment: paymentOf(row.payment),
  };
}

interface GivenRefund {
  readonly paymentId: string;
  readonly reference: string;
  readonly amountMinor?: number | undefined;
}

/** The record of an old key may be gone, and with it the fingerprint of its command; the refund still has the command. */
export function mayReopen(refund: Refund, command: GivenRefund): boolean {
  const isOver = refund.status === 'succeeded' || refund.status === 'failed';
  return !isOver && isSameRefund(refund, command);
}

export function isSameRefund(refund: Refund, command: GivenRefund): boolean {
  return (
    refund.payment.id === command.paymentId &&
    refund.reference === command.reference &&
    (command.amountMinor ?? refund.amountMinor) === refund.amountMinor
  );
}

/**
 * Without an amount: all that is left. Undefined: there is nothing to refund. The CHECK refuses what is too much. The payment's
 * key stays readable: a refund with the same reference that completes at this moment is waited for, and its entries refer to it.
 */
export async function reserveRefund(
  tx: Tx,
  operation: OperationRef,
  command: GivenRefund,
): Promise<Refund | undefined> {
  const { tenantId, id: operationId } = operation;
  const existing = await findRefundByOperation(tx, operation);
  const wanted = existing?.amountMinor ?? command.amountMinor ?? null;
  const [reserved] = await tx.$queryRaw<{ taken: bigint }[]>`
    UPDATE payment p SET refunded_minor = p.refunded_minor + coalesce(${wanted}::bigint, p.amount_minor - p.refunded_minor)
    FROM (SELECT id, refunded_minor FROM payment
      WHERE tenant_id = ${tenantId} AND id = ${command.paymentId}::uuid FOR NO KEY UPDATE) before
    WHERE p.tenant_id = ${tenantId} AND p.id = before.id AND p.status = 'succeeded'
      AND p.refunded_minor < p.amount_minor
    RETURNING p.refunded_minor - before.refunded_minor AS taken`;
  if (!reserved) return undefined;
  if (existing) {
    await tx.refund.update({ where: byId(existing), data: { status: 'pending' } });
    return existing;
  }
  await tx.refund.create({
    data: {
      id: refundIdOf(operation),
      tenantId,
      paymentId: command.paymentId,
      operationId,
      reference: command.reference,
      amountMinor: reserved.taken,
      status: 'pending',
    },
  });
  return findRefundByOperation(tx, operation);
}

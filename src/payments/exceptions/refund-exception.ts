import type { Engine } from '#idempotency/index.ts';
import type { Payment, Prisma, PrismaClient, ReconciliationException, Refund as RefundRow } from '#prisma';
import { createRefund, type RefundCondition } from '../operations/create-refund/create-refund.ts';
import { executedWithinHours } from '../operations/create-refund/key-window.ts';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import { byId, lockPayment } from '../payment-rows.ts';
import type { PaymentProvider } from '../provider.ts';
import { readRefundState } from '../refund-state.ts';
import { isRefundable } from './open-exception.ts';

type Tx = Prisma.TransactionClient;

export type ExceptionRefund =
  | { readonly kind: 'refunded' }
  /** The provider has not confirmed it; it is safe to try again. */
  | { readonly kind: 'not_yet'; readonly code: string }
  | { readonly kind: 'not_open' };

interface Parts {
  readonly db: PrismaClient;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}

const providerRejected = 'provider_rejected';
/** The provider has paid back another amount. */
const contradictory = 'contradictory';
/** The bank did not return it after all. */
const notReturned = 'refund_not_returned';
/** Refusals after which no refund is under way. */
const definitive = new Set([
  'refund_exceeds_payment',
  'refund_exists_for_reference',
  'payment_not_refundable',
  providerRejected,
  'provider_failed',
  contradictory,
  notReturned,
]);

/** The engine's code for a key whose operation is long over. */
const keyExpired = 'idempotency_key_expired';

/**
 * Refunds the money of an exception, once: a second click, or a second operator, joins the first. A booked payment is refunded
 * through the books, like any refund; money that was never booked is only refunded at the provider.
 */
export async function refundException(
  parts: Parts,
  tenantId: string,
  exceptionId: string,
  decision: RefundDecision,
): Promise<ExceptionRefund> {
  const { db } = parts;
  const exception = await db.reconciliationException.findFirst({
    where: { id: exceptionId, tenantId, status: 'open' },
    include: { refund: true },
  });
  if (!exception || !isRefundable(exception)) return { kind: 'not_open' };
  const decided = await db.$transaction((tx) => recordDecision(tx, exception, decision));
  if ('kind' in decided) return decided;

  const { payment, isAlone } = decided;
  const booked = isBooked(exception, payment);
  const failure = booked
    ? ((await findReturned(parts, exception, payment)) ??
      (await refundBooked(parts, exception, exception.refund, decision.onlyIf?.condition)))
    : await refundUnbooked(parts, exception, Number(payment.amountMinor));
  if (failure) {
    // Of a booked payment the refund is an operation, which ends only when nothing of it is on its way.
    if ((definitive.has(failure) || decision.onlyIf?.codes.includes(failure)) && (booked || isAlone)) {
      await withdrawDecision(db, exception, decision);
      // The provider would replay the rejection under this downstream key.
      if (!booked && failure === providerRejected) await nextGeneration(db, exception);
    }
    return { kind: 'not_yet', code: failure };
  }
  // A booked refund has closed the exception itself, in the commit that completed it.
  await db.$executeRaw`
    UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND id = ${exceptionId}::uuid AND status = 'open'`;
  return { kind: 'refunded' };
}

interface RefundDecision {
  readonly actor: string;
  readonly reason?: string;
  /** In the transaction that records the decision, before any money moves. */
  readonly writes?: (tx: Tx) => Promise<void>;
  /** Asked again while the refund of a booked payment is reserved; `codes` are those of its refusals. */
  readonly onlyIf?: { readonly condition: RefundCondition; readonly codes: readonly string[] };
}

interface Decided {
  readonly payment: Payment;
  /** No earlier request for it can be on its way: it was not decided before, or so long ago that it is over. */
  readonly isAlone: boolean;
}

/**
 * The key of a released payment may be tried again at the same moment, finds the intent paid, and books it. So the decision
 * locks the payment, as the other attempt does (`lockPayment`): the second of the two sees what the first has done.
 */
async function recordDecision(
  tx: Tx,
  { tenantId, id, paymentId, intentId }: ReconciliationException,
  decision: RefundDecision,
): Promise<Decided | ExceptionRefund> {
  await lockPayment(tx, { tenantId, id: paymentId });
  const payment = await tx.payment.findUnique({ where: byId({ tenantId, id: paymentId }) });
  const [open] = await tx.$queryRaw<{ alone: boolean }[]>`
    SELECT decided_by IS NULL
      OR coalesce(decided_at < clock_timestamp() - ${executedWithinHours}::int * interval '1 hour', false) AS alone
    FROM reconciliation_exception
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'open' FOR UPDATE`;
  if (!open || !payment) return { kind: 'not_open' };
  if (payment.status === 'pending' && intentId !== null && payment.providerIntentId === intentId) {
    return { kind: 'not_yet', code: 'payment_pending' };
  }
  await tx.$executeRaw`
    UPDATE reconciliation_exception SET decided_by = ${decision.actor}, decided_at = clock_timestamp(),
      decision_reason = ${decision.reason ?? null}
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  await decision.writes?.(tx);
  return { payment, isAlone: open.alone };
}

/** Nothing is on its way, unless another operator has decided the same meanwhile: it is open for another decision. */
async function withdrawDecision(
  db: Tx,
  { tenantId, id }: ReconciliationException,
  { actor }: RefundDecision,
): Promise<void> {
  await db.$executeRaw`
    UPDATE reconciliation_exception e SET decided_by = NULL, decided_at = NULL, decision_reason = NULL
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'open' AND decided_by = ${actor}
      AND NOT EXISTS (
        SELECT FROM operation o WHERE o.tenant_id = e.tenant_id AND o.id = e.refund_operation_id
          AND o.status IN ('in_progress', 'unknown'))`;
}

/** Whether the money is in our books: then the refund is booked too, and the shopper gets an e-mail. */
export function isBooked(
  exception: Pick<ReconciliationException, 'intentId' | 'refundId'>,
  payment: { readonly status: string; readonly providerIntentId: string | null | undefined },
): boolean {
  if (exception.refundId !== null) return true;
  return payment.status === 'succeeded' && payment.providerIntentId === exception.intentId;
}

/** Why the refund is not made again: the one that was returned has been paid since, or the provider does not say. */
async function findReturned(
  { provider }: Parts,
  { tenantId, reason, refund }: ReconciliationException & { readonly refund: RefundRow | null },
  { providerIntentId: intentId }: Payment,
): Promise<string | undefined> {
  if (reason !== 'refund_failed' || !refund?.providerRefundId || !intentId) return undefined;
  const { operationId, providerRefundId: refundId } = refund;
  const found = await readRefundState(provider, { tenantId, operationId, intentId, refundId });
  if (found.kind === 'no_evidence') return found.code;
  return found.state === 'succeeded' ? notReturned : undefined;
}

/**
 * A refund that was returned is made again, with its amount and under its reference: the merchant may make it again too, and one
 * of the two is refused. Without one, the whole rest is refunded.
 */
async function refundBooked(
  parts: Parts,
  exception: ReconciliationException,
  returned: { readonly amountMinor: bigint; readonly reference: string } | null,
  condition: RefundCondition | undefined,
): Promise<string | undefined> {
  const { paymentId } = exception;
  const failure = await refundUnder(exception.generation);
  // The operation of an expired key has ended. Had it been a refund, the exception would be closed.
  if (failure !== keyExpired) return failure;
  await nextGeneration(parts.db, exception);
  return refundUnder(exception.generation + 1);

  async function refundUnder(generation: number): Promise<string | undefined> {
    // One key per exception, whichever operator clicks: the principal is the decision, not the operator.
    const name = `exception-${exception.id}${generation === 1 ? '' : `-${generation}`}`;
    const input = {
      paymentId,
      reference: returned?.reference ?? name,
      ...(returned && { amountMinor: Number(returned.amountMinor) }),
    };
    const request = { tenantId: exception.tenantId, principal: name, keyHeader: name, input };
    const outcome = await parts.engine.run(createRefundKind.definition, request, async (execution) => {
      await parts.db.reconciliationException.update({
        where: { tenantId_id: { tenantId: exception.tenantId, id: exception.id } },
        data: { refundOperationId: execution.operationId },
      });
      return createRefund(parts.provider, execution, input, condition);
    });
    if (outcome.kind === 'completed') return undefined;
    return outcome.kind === 'pending' ? 'operation_unknown' : outcome.problem.spec.code;
  }
}

async function refundUnbooked(
  { db, provider }: Parts,
  exception: ReconciliationException,
  amountMinor: number,
): Promise<string | undefined> {
  const { tenantId, generation } = exception;
  const request = {
    operationId: exception.id,
    tenantId,
    generation,
    intentId: exception.intentId ?? '',
    amountMinor,
    reference: `exception-${exception.id}`,
  };
  const result = (await provider.findRefund(request)) ?? (await provider.createRefund(request));
  if (result.kind === 'rejected') return providerRejected;
  if (result.kind !== 'responded') return result.code;
  if (result.refund.state === 'succeeded') {
    return result.refund.amountMinor === amountMinor ? undefined : contradictory;
  }
  // It stays failed under this downstream key; the next try gets a new one.
  if (result.refund.state === 'failed') await nextGeneration(db, exception);
  return `provider_${result.refund.state}`;
}

async function nextGeneration(
  db: PrismaClient,
  { tenantId, id, generation }: ReconciliationException,
): Promise<void> {
  await db.reconciliationException.updateMany({
    where: { tenantId, id, generation },
    data: { generation: generation + 1 },
  });
}

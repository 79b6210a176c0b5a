import type { Engine } from '#idempotency/index.ts';
import type { Prisma, PrismaClient, ReconciliationException } from '#prisma';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import type { Payment } from '../payment.ts';
import { findPaymentByOperation } from '../payment-rows.ts';
import type { PaymentProvider } from '../provider.ts';

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
  decision: {
    readonly actor: string;
    readonly reason?: string;
    /** In the transaction that records the decision, before any money moves. */
    readonly writes?: (tx: Tx) => Promise<void>;
  },
): Promise<ExceptionRefund> {
  const { db } = parts;
  const exception = await db.reconciliationException.findFirst({
    where: { id: exceptionId, tenantId, status: 'open' },
    include: { payment: { select: { operationId: true } }, refund: { select: { amountMinor: true } } },
  });
  const payment =
    exception && (await findPaymentByOperation(db, { tenantId, id: exception.payment.operationId }));
  if (!exception || !payment) return { kind: 'not_open' };
  if (!(await recordDecision())) return { kind: 'not_open' };

  const failure = isBooked(exception, payment)
    ? await refundBooked(
        parts,
        exception,
        payment.id,
        exception.refund ? Number(exception.refund.amountMinor) : undefined,
      )
    : await refundUnbooked(parts, exception, payment);
  if (failure) return { kind: 'not_yet', code: failure };
  // A booked refund has closed the exception itself, in the commit that completed it.
  await db.$executeRaw`
    UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND id = ${exceptionId}::uuid AND status = 'open'`;
  return { kind: 'refunded' };

  function recordDecision(): Promise<boolean> {
    return db.$transaction(async (tx) => {
      const recorded = await tx.$executeRaw`
        UPDATE reconciliation_exception SET decided_by = ${decision.actor}, decision_reason = ${decision.reason ?? null}
        WHERE tenant_id = ${tenantId} AND id = ${exceptionId}::uuid AND status = 'open'`;
      if (recorded === 1) await decision.writes?.(tx);
      return recorded === 1;
    });
  }
}

/** Whether the money is in our books: then the refund is booked too, and the shopper gets an e-mail. */
export function isBooked(
  exception: Pick<ReconciliationException, 'intentId' | 'refundId'>,
  payment: { readonly status: string; readonly providerIntentId: string | null | undefined },
): boolean {
  if (exception.refundId !== null) return true;
  return payment.status === 'succeeded' && payment.providerIntentId === exception.intentId;
}

/** Without an amount: the whole rest. */
async function refundBooked(
  parts: Parts,
  exception: ReconciliationException,
  paymentId: string,
  amountMinor: number | undefined,
): Promise<string | undefined> {
  const failure = await refundUnder(exception.generation);
  // The operation of an expired key has ended. Had it been a refund, the exception would be closed.
  if (failure !== keyExpired) return failure;
  await nextGeneration(parts.db, exception);
  return refundUnder(exception.generation + 1);

  async function refundUnder(generation: number): Promise<string | undefined> {
    // One key per exception, whichever operator clicks: the principal is the decision, not the operator.
    const name = `exception-${exception.id}${generation === 1 ? '' : `-${generation}`}`;
    const input = { paymentId, ...(amountMinor !== undefined && { amountMinor }) };
    const request = { tenantId: exception.tenantId, principal: name, keyHeader: name, input };
    const outcome = await parts.engine.run(createRefundKind.definition, request, async (execution) => {
      await parts.db.reconciliationException.update({
        where: { tenantId_id: { tenantId: exception.tenantId, id: exception.id } },
        data: { refundOperationId: execution.operationId },
      });
      return createRefundKind.handle(parts.provider, execution, input);
    });
    if (outcome.kind === 'completed') return undefined;
    return outcome.kind === 'pending' ? 'operation_unknown' : outcome.problem.spec.code;
  }
}

async function refundUnbooked(
  { db, provider }: Parts,
  exception: ReconciliationException,
  { amountMinor }: Payment,
): Promise<string | undefined> {
  const { tenantId, generation } = exception;
  const request = {
    operationId: exception.id,
    tenantId,
    generation,
    intentId: exception.intentId ?? '',
    amountMinor,
  };
  const result = (await provider.findRefund(request)) ?? (await provider.createRefund(request));
  if (result.kind !== 'responded') return result.code;
  if (result.refund.state === 'succeeded') return undefined;
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

import type { OperationRef } from '#idempotency/index.ts';
import {
  failRefund,
  findRefundByOperation,
  type PaymentProvider,
  type RefundRequest,
} from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { ProviderUnresponsive } from './provider-trouble.ts';

interface Parts {
  readonly db: PrismaClient;
  readonly provider: PaymentProvider;
}

/**
 * A bank may return a refund days after it was paid: the account is closed, the card is gone. Until that is booked, our books
 * say that the shopper has the money. The webhook is only a hint; the provider's response now is the evidence. Throws when
 * there is no definitive response: nothing else will ask again, so the caller has to.
 */
export async function followRefund(parts: Parts, operation: OperationRef): Promise<string | undefined> {
  const refund = await findRefundByOperation(parts.db, operation);
  if (!refund) return followException(parts, operation);
  const intentId = refund.payment.providerIntentId;
  if (refund.status !== 'succeeded' || !intentId) return undefined;
  if ((await stateOf(parts.provider, { ...refund, intentId })) !== 'failed') return undefined;
  const failed = await parts.db.$transaction((tx) => failRefund(tx, refund));
  return failed ? 'refund_failed' : undefined;
}

/** Money that was never booked is refunded under the exception's own id: there is no operation that would follow it. */
async function followException(
  { db, provider }: Parts,
  { tenantId, id }: OperationRef,
): Promise<string | undefined> {
  const exception = await db.reconciliationException.findFirst({
    where: {
      tenantId,
      id,
      intentId: { not: null },
      decidedBy: { not: null },
      status: { in: ['open', 'refunded'] },
    },
    include: { payment: { select: { amountMinor: true } } },
  });
  if (!exception?.intentId) return undefined;
  const { generation, intentId } = exception;
  const amountMinor = Number(exception.payment.amountMinor);
  const state = await stateOf(provider, { operationId: id, tenantId, generation, intentId, amountMinor });
  if (exception.status === 'open' && state === 'succeeded') {
    const closed = await db.$executeRaw`
      UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp()
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'open' AND generation = ${generation}::int`;
    return closed === 1 ? 'exception_refunded' : undefined;
  }
  if (exception.status === 'refunded' && state === 'failed') {
    // An operator decides again, and the next refund has a new generation.
    const reopened = await db.$executeRaw`
      UPDATE reconciliation_exception SET status = 'open', generation = generation + 1, decided_at = NULL, decided_by = NULL,
        decision_reason = NULL
      WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'refunded' AND generation = ${generation}::int`;
    return reopened === 1 ? 'refund_failed' : undefined;
  }
  return undefined;
}

/** Undefined: it lists none, which proves nothing. */
async function stateOf(provider: PaymentProvider, request: RefundRequest) {
  const result = await provider.findRefund(request);
  if (!result || (result.kind !== 'responded' && result.code === 'resource_missing')) return undefined;
  if (result.kind !== 'responded') throw new ProviderUnresponsive(result.code);
  return result.refund.state;
}

import type { PrismaClient } from '#prisma';
import type { EventFollower } from '../event-follower.ts';
import type { PaymentProvider } from '../provider.ts';
import { readRefundState } from '../refund-state.ts';

/** Money that was never booked is refunded under the exception's own id: there is no operation that would follow it. */
export function createExceptionFollower(parts: {
  readonly db: PrismaClient;
  readonly provider: PaymentProvider;
}): EventFollower {
  const { db, provider } = parts;
  return {
    listNewestBooked: async () => [],
    listEarlier: async () => [],
    restore: async () => undefined,
    identify: async () => undefined,
    isOfEarlierGeneration: async () => false,
    async follow({ operation: { tenantId, id }, object, isFromDashboard }) {
      if ((object !== undefined && object !== 'refund') || isFromDashboard) return undefined;
      const exception = await db.reconciliationException.findFirst({
        where: {
          tenantId,
          id,
          intentId: { not: null },
          status: { in: ['open', 'dismissed', 'refunded'] },
        },
        include: { payment: { select: { amountMinor: true } } },
      });
      if (!exception?.intentId) return undefined;
      const { generation, intentId } = exception;
      // Of any generation: another request for it, which the provider refused, may have begun the next one meanwhile.
      const found = await readRefundState(provider, { operationId: id, tenantId, intentId });
      if (found.kind === 'no_evidence') return found;
      if (exception.status !== 'refunded' && found.state === 'succeeded') {
        // Only a part, so that the provider still holds the rest.
        if (found.amountMinor !== Number(exception.payment.amountMinor)) return undefined;
        const closed = await db.$executeRaw`
          UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp()
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status <> 'refunded' AND generation = ${generation}::int`;
        return closed === 1 ? { kind: 'changed', outcome: 'exception_refunded' } : undefined;
      }
      if (exception.status === 'refunded' && found.state === 'failed') {
        // An operator decides again, and the next refund has a new generation.
        const reopened = await db.$executeRaw`
          UPDATE reconciliation_exception SET status = 'open', generation = generation + 1, decided_at = NULL,
            decided_by = NULL, decision_reason = NULL
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'refunded' AND generation = ${generation}::int`;
        return reopened === 1 ? { kind: 'changed', outcome: 'refund_failed' } : undefined;
      }
      return undefined;
    },
  };
}

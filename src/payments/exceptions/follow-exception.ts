import type { OperationRef } from '#idempotency/index.ts';
import type { PrismaClient } from '#prisma';
import type { EventFollower, Followed, ProviderEvent } from '../event-follower.ts';
import { byId, lockPayment } from '../payment-rows.ts';
import type { PaymentProvider } from '../provider.ts';
import { dashboardPrefix } from '../refund-references.ts';
import { readRefundState } from '../refund-state.ts';
import { isBooked } from './refund-exception.ts';

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
    async follow(event) {
      const { object } = event;
      if (object !== undefined && object !== 'refund') return undefined;
      return event.isFromDashboard ? followFromDashboard(event) : followOwn(event.operation);
    },
  };

  /** The refund that was made under the exception's own id. */
  async function followOwn({ tenantId, id }: OperationRef): Promise<Followed | undefined> {
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
  }

  /**
   * The merchant has refunded the money in the provider's dashboard, before a decision or although it was to be kept. It is not in our
   * books, so nothing is booked; but nothing is left to decide, and its own key must not find the intent paid.
   */
  async function followFromDashboard({
    operation: { tenantId },
    intentId,
    objectId: refundId,
    state,
  }: ProviderEvent): Promise<Followed | undefined> {
    if (intentId === undefined || refundId === undefined) return undefined;
    const exception = await db.reconciliationException.findFirst({
      where: { tenantId, intentId, status: { in: ['open', 'dismissed', 'refunded'] } },
      include: { payment: true },
    });
    if (!exception) return undefined;
    const { id, payment } = exception;
    if (isBooked(exception, payment)) {
      // Its own key may have booked it since this refund was looked for among those of booked payments.
      return state === 'succeeded' && !(await isRecorded(tenantId, refundId)) ? notBookedYet : undefined;
    }
    const found = await readRefundState(provider, { operationId: id, tenantId, intentId, refundId });
    if (found.kind === 'no_evidence') return found;
    if (found.state === 'succeeded' && found.amountMinor !== Number(payment.amountMinor)) {
      // The provider still holds the rest. As long as its payment may be booked, the part may become a refund of that.
      return exception.status === 'open' ? notBookedYet : undefined;
    }
    const reason = `It was refunded in the provider’s dashboard: ${refundId}.`;
    return db.$transaction(async (tx): Promise<Followed | undefined> => {
      await lockPayment(tx, payment);
      // Its own key has booked it meanwhile: the refund is one of a booked payment.
      if (isBooked(exception, await tx.payment.findUniqueOrThrow({ where: byId(payment) })))
        return notBookedYet;
      if (found.state === 'succeeded') {
        const closed = await tx.$executeRaw`
          UPDATE reconciliation_exception SET status = 'refunded', decided_at = clock_timestamp(), decided_by = 'refund',
            decision_reason = ${reason}
          WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status IN ('open', 'dismissed')`;
        return closed === 1 ? { kind: 'changed', outcome: 'exception_refunded' } : undefined;
      }
      if (found.state !== 'failed') return undefined;
      const reopened = await tx.$executeRaw`
        UPDATE reconciliation_exception SET status = 'open', generation = generation + 1, decided_at = NULL,
          decided_by = NULL, decision_reason = NULL
        WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'refunded' AND decision_reason = ${reason}`;
      return reopened === 1 ? { kind: 'changed', outcome: 'refund_failed' } : undefined;
    });
  }

  async function isRecorded(tenantId: string, refundId: string): Promise<boolean> {
    const ofRefund = [{ providerRefundId: refundId }, { reference: `${dashboardPrefix}${refundId}` }];
    return (await db.refund.count({ where: { tenantId, OR: ofRefund } })) > 0;
  }
}

/** The event is processed again: the refund is booked after its payment. */
const notBookedYet: Followed = { kind: 'no_evidence', code: 'payment_not_booked' };

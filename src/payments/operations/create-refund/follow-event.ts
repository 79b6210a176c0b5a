import type { EventFollower, Followed, ProviderEvent } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { byId, isOwnTenant, lockPayment, operationOf } from '#payments/payment-rows.ts';
import { type RefundState, readRefundState } from '#payments/refund-state.ts';
import { findOrRestorePayment } from '../create-payment/restore-payment.ts';
import type { KindParts } from '../operation-kind.ts';
import { failRefund } from './complete-refund.ts';
import {
  dashboardOperation,
  findDashboardRefund,
  findMaker,
  recordDashboardRefund,
} from './dashboard-refund.ts';
import { isAbsenceProof } from './key-window.ts';
import { listNewestRefund } from './newest-refund.ts';
import { findRefundByOperation, type Refund } from './refund.ts';
import { restoreClaimedRefund, restoreRefund } from './restore-refund.ts';
import { followReturned } from './returned-refund.ts';

/** Its own key is tried at this moment. It may be released once more, so what the event is about is decided afterwards. */
const beingTried: Followed = { kind: 'no_evidence', code: 'refund_pending' };

/**
 * The provider may pay back although the refund was released on our side; that is not booked, and an operator is shown it.
 * A bank may return a refund days after it was paid: the account is closed, the card is gone. Until that is booked, our books
 * say that the shopper has the money. The provider's response now is the evidence.
 */
export function createRefundFollower({ db, provider }: KindParts): EventFollower {
  return {
    listNewestBooked: () => listNewestRefund({ db, provider }),
    // A refund is made by the request that pays it back, so the provider lists every one that was made since.
    listEarlier: async () => [],
    /** Also where our row says that it was released: the attempt that made it was lost, and another key could make it again. */
    async restore({ operation, object, intentId, state }) {
      if (object !== 'refund' || state === 'failed') return undefined;
      const refund = await findRefundByOperation(db, operation);
      if (!refund) await restoreClaimedRefund({ db, provider }, operation, intentId);
      else if (refund.status === 'released' && state === 'succeeded') await flag(refund, 'record_lost');
      return undefined;
    },
    identify: async () => undefined,
    /** Which one the operation uses is known when it is booked. */
    async isOfEarlierGeneration({ operation, object, objectId }) {
      if (object !== 'refund' || objectId === undefined) return false;
      const { tenantId, id: operationId } = operation;
      const where = { tenantId, operationId, status: 'succeeded', providerRefundId: { not: objectId } };
      return (await db.refund.count({ where })) === 1;
    },
    follow,
  };

  async function follow(event: ProviderEvent): Promise<Followed | undefined> {
    const { operation, object, objectId, intentId: eventIntentId } = event;
    if (object !== undefined && object !== 'refund') return undefined;
    if (event.isFromDashboard) return followFromDashboard(event);
    const refund = await findRefundByOperation(db, operation);
    if (!refund) return object && eventIntentId ? followLost(event, eventIntentId) : undefined;
    const intentId = refund.payment.providerIntentId;
    if (!intentId) return undefined;
    if (refund.status === 'pending') return beingTried;
    const other = await followOther(refund, intentId, objectId);
    if (other) return other;
    if (refund.status === 'failed') return followReturned({ db, provider }, refund, intentId, objectId);
    const found = await readState(refund, intentId);
    if (found.kind === 'no_evidence') return found;
    if (refund.status === 'released') {
      if (found.state === 'succeeded') return flag(refund, 'refunded_after_release');
      // The event says that it was paid back. A list may lag, and nothing else would ask again.
      const isContradicted = event.state === 'succeeded' && found.state !== 'failed';
      return isContradicted ? { kind: 'no_evidence', code: 'refund_not_found' } : undefined;
    }
    if (found.state !== 'failed') {
      if (refund.asserted) return verifyAssertion(refund, found);
      // The event says that the bank returned it. The read lags, and nothing else would ask again.
      const isDenied = isFailed(event) && objectId === refund.providerRefundId;
      return isDenied ? { kind: 'no_evidence', code: 'contradictory' } : undefined;
    }
    const failed = await db.$transaction((tx) => failRefund(tx, refund));
    return failed ? { kind: 'changed', outcome: 'refund_failed' } : undefined;
  }

  /** A booked one may be of an earlier generation, where its own key has found what had been given up. */
  async function readState(refund: Refund, intentId: string): Promise<RefundState> {
    const found = await readRefundState(provider, { ...refund, intentId });
    const { status, providerRefundId: refundId, tenantId, operationId } = refund;
    if (found.kind === 'no_evidence' || found.state || status !== 'succeeded' || !refundId) return found;
    return readRefundState(provider, { tenantId, operationId, intentId, refundId });
  }

  /** It has no metadata of ours. What an operation of ours has made is followed as that. */
  async function followFromDashboard(event: ProviderEvent): Promise<Followed | undefined> {
    const found = await findDashboardRefund({ db, provider }, event);
    if (!found || 'kind' in found) return found;
    const maker = await findMaker({ db }, found);
    if (!maker) {
      const recorded = await findRefundByOperation(
        db,
        dashboardOperation(found.payment.tenantId, found.refund.id),
      );
      if (recorded?.status === 'failed' && event.intentId)
        return followReturned({ db, provider }, recorded, event.intentId, found.refund.id);
      // A read may lag behind the event, and there is no check that would ask again.
      const { state } = found.refund;
      if (recorded?.status === 'succeeded' && isFailed(event) && state !== 'failed')
        return { kind: 'no_evidence', code: 'contradictory' };
      const followed = await recordDashboardRefund({ db }, found);
      const lags = event.state === 'succeeded' && state === 'pending';
      return lags ? { kind: 'no_evidence', code: 'provider_pending' } : followed;
    }
    return follow({ ...event, operation: maker, isFromDashboard: false });
  }

  /** It is booked, and the event is about another refund for the same operation: if that succeeded too, it was paid back twice. */
  async function followOther(
    refund: Refund,
    intentId: string,
    refundId: string | undefined,
  ): Promise<Followed | undefined> {
    const { providerRefundId, tenantId, operationId } = refund;
    if (refundId === undefined || providerRefundId === undefined || refundId === providerRefundId)
      return undefined;
    if (refund.status === 'released') return undefined;
    const found = await readRefundState(provider, { tenantId, operationId, intentId, refundId });
    if (found.kind === 'no_evidence') return found;
    // Another operation has made it, and has booked it.
    if (found.operationId !== undefined && found.operationId !== operationId) return undefined;
    return found.state === 'succeeded' ? flag(refund, 'refunded_after_release') : undefined;
  }

  /** The provider has a refund with our metadata, and our database has lost it, and perhaps its payment too. */
  async function followLost(event: ProviderEvent, intentId: string): Promise<Followed | undefined> {
    const { operation } = event;
    const { tenantId, id: operationId } = operation;
    if (!(await isOwnTenant(db, tenantId))) return undefined;
    // Money that was never booked is refunded under the id of its exception, which has a follower of its own.
    if ((await db.reconciliationException.count({ where: { tenantId, id: operationId } })) > 0)
      return undefined;
    const found = await provider.findRefund({ tenantId, operationId, intentId });
    // The event says that there is one. The list may lag, or be that of another account.
    const isAnnounced = event.state === 'succeeded';
    if (!found) return isAnnounced ? { kind: 'no_evidence', code: 'refund_not_found' } : undefined;
    if (found.kind !== 'responded') {
      const isEvidence = found.code === 'resource_missing' && !isAnnounced;
      return isEvidence ? undefined : { kind: 'no_evidence', code: found.code };
    }
    const payment = await findOrRestorePayment({ db, provider }, tenantId, intentId);
    if (!payment) return undefined;
    if ('code' in payment) return payment;
    // Its amount would be taken for one in the payment's currency.
    if (found.refund.currency !== payment.currency) return { kind: 'no_evidence', code: 'contradictory' };
    return db.$transaction(async (tx): Promise<Followed | undefined> => {
      const refund = await restoreRefund(tx, operation, payment, found.refund);
      if (refund?.status !== 'released' || found.refund.state !== 'succeeded') return undefined;
      const exception = { tenantId, paymentId: payment.id, refundId: refund.id } as const;
      await openException(tx, { ...exception, reason: 'record_lost' });
      return { kind: 'changed', outcome: 'exception' };
    });
  }

  /**
   * An operator asserted that it was paid back. If the provider lists none although no request for it can be on its way any
   * more, it was not. One that failed is booked back, as any refund that fails.
   */
  async function verifyAssertion(
    refund: Refund,
    { state, amountMinor, currency }: Extract<RefundState, { kind: 'read' }>,
  ): Promise<Followed> {
    const { tenantId, id: refundId, payment } = refund;
    if (state === 'succeeded') {
      const isOther = amountMinor !== refund.amountMinor || currency !== payment.currency;
      if (isOther) return { kind: 'undecided', code: 'contradictory' };
      await db.refund.update({ where: byId(refund), data: { assertedAt: null } });
      return { kind: 'changed', outcome: 'assertion_confirmed' };
    }
    if (state === 'pending' || !(await isAbsenceProof(db, operationOf(refund)))) {
      return { kind: 'undecided', code: state ? `provider_${state}` : 'refund_not_found' };
    }
    await openException(db, { tenantId, paymentId: payment.id, refundId, reason: 'assertion_denied' });
    return { kind: 'changed', outcome: 'exception' };
  }

  /** Unless its own key has been tried again meanwhile, and has found the refund and booked it. */
  function flag(
    refund: Refund,
    reason: 'refunded_after_release' | 'record_lost',
  ): Promise<Followed | undefined> {
    const { tenantId, id: refundId, payment } = refund;
    const exception = { tenantId, paymentId: payment.id, refundId, reason };
    return db.$transaction(async (tx) => {
      await lockPayment(tx, payment);
      const current = await findRefundByOperation(tx, operationOf(refund));
      if (current?.status === 'pending') return beingTried;
      if (current?.status !== refund.status) return undefined;
      return (await openException(tx, exception)) ? { kind: 'changed', outcome: 'exception' } : undefined;
    });
  }
}

/** In the provider's words, as an event has them. */
function isFailed({ state }: ProviderEvent): boolean {
  return state === 'failed' || state === 'canceled';
}

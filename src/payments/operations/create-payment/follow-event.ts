import { z } from 'zod';
import type { OperationRef } from '#idempotency/index.ts';
import type { EventFollower, Followed, ProviderEvent } from '#payments/event-follower.ts';
import { openException } from '#payments/exceptions/open-exception.ts';
import { contradicts } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import {
  byId,
  findPaymentByOperation,
  isOwnTenant,
  lockPayment,
  operationOf,
} from '#payments/payment-rows.ts';
import type { Intent } from '#payments/provider.ts';
import type { KindParts } from '../operation-kind.ts';
import { listNewestPayment } from './newest-payment.ts';
import { listKeptIntents, restoreFromIntent } from './restore-from-intent.ts';
import { isOf, restoreLostPayment } from './restore-payment.ts';

/** An intent in these states has not been charged. */
const deniedBy = new Set<Intent['state']>(['created', 'declined', 'canceled']);
/** The same in the provider's words, as an event has them. */
const unpaid = new Set(['requires_payment_method', 'requires_confirmation', 'canceled']);

/**
 * The provider may take money for something that is over on our side: its key was released, or the reference was paid by
 * another payment. Or our database has lost the payment. That is not booked; an operator is shown the money and decides.
 */
export function createPaymentFollower({ db, provider }: KindParts): EventFollower {
  return {
    listNewestBooked: () => listNewestPayment({ db, provider }),
    listEarlier: (before) => listKeptIntents({ db, provider }, before),
    async restore({ operation, intent }) {
      return intent && restoreFromIntent({ db, provider }, operation, intent);
    },
    /** What the dashboard makes has no metadata, but the intent that it belongs to does. */
    async identify({ intentId }) {
      if (intentId === undefined) return undefined;
      const result = await provider.retrieveIntent(intentId);
      if (result.kind !== 'responded' && result.code !== 'resource_missing')
        return { kind: 'no_evidence', code: result.code };
      const { tenantId = null } = result.kind === 'responded' ? result.intent : {};
      // Metadata can be removed at the provider, and the API key may be that of another account, which has no such intent. Then
      // every tenant is looked up, because the index begins with it.
      const [row] = await db.$queryRaw<{ tenantId: string; operationId: string }[]>`
        SELECT p.tenant_id AS "tenantId", p.operation_id AS "operationId"
        FROM organization t JOIN payment p ON p.tenant_id = t.id AND p.provider_intent_id = ${intentId}
        WHERE t.id = coalesce(${tenantId}, t.id) LIMIT 1`;
      if (row) return operationOf(row);
      return result.kind === 'responded' ? findLostOperation(result.intent) : undefined;
    },
    /** The payment uses another intent now. Where none is recorded yet, this may be the one. */
    async isOfEarlierGeneration({ operation, intentId }) {
      if (intentId === undefined) return false;
      const { tenantId, id: operationId } = operation;
      const where = { tenantId, operationId, providerIntentId: { not: intentId } };
      return (await db.payment.count({ where })) === 1;
    },
    async follow(event: ProviderEvent): Promise<Followed | undefined> {
      const { operation, object } = event;
      const payment = await findPaymentByOperation(db, operation);
      const intentId = event.intentId ?? payment?.providerIntentId;
      if (intentId === undefined) return undefined;
      const isOfIntent = object === 'payment_intent';
      const isPaid = isOfIntent && event.state === 'succeeded';
      if (!payment && event.isFromDashboard) return goOnAfter(await followLost(operation, intentId, false));
      if (!payment) return isOfIntent ? followLost(operation, intentId, isPaid) : undefined;
      const booked = payment.status === 'succeeded' && payment.providerIntentId === intentId;
      const isDenied = isOfIntent && unpaid.has(event.state ?? '');
      if (booked && (event.isFromDashboard || !(payment.asserted || isDenied))) return undefined;
      const result = await provider.retrieveIntent(intentId, payment);
      if (result.kind !== 'responded') {
        // A refusal may be about the request, such as a rolled API key. Only a missing intent is evidence about the money, and
        // not even that one, if a signed event says that it was paid.
        const { code } = result;
        if (code !== 'resource_missing' || isPaid) return { kind: 'no_evidence', code };
        return booked && payment.asserted ? { kind: 'undecided', code } : undefined;
      }
      if (booked)
        return payment.asserted ? verifyAssertion(payment, result.intent) : deny(payment, result.intent);
      // What was taken for another operation is in the books of that one: an operator would give back what is paid for.
      if (result.intent.operationId !== undefined && !isOf(operation, result.intent)) return undefined;
      if (result.intent.state === 'succeeded') {
        const flagged = await flag(payment, intentId);
        return event.isFromDashboard ? goOnAfter(flagged) : flagged;
      }
      return isPaid ? { kind: 'no_evidence', code: 'contradictory' } : undefined;
    },
  };

  /**
   * Unless its own key has been tried again meanwhile, and has booked it. While that is being tried, how it ends is waited for: it
   * may be released once more, and the money is to be flagged then.
   */
  function flag(payment: Payment, intentId: string): Promise<Followed | undefined> {
    const { tenantId, id: paymentId } = payment;
    return db.$transaction(async (tx) => {
      await lockPayment(tx, payment);
      const current = await findPaymentByOperation(tx, operationOf(payment));
      if (current?.providerIntentId === intentId) {
        if (current.status === 'succeeded') return undefined;
        if (current.status === 'pending') return { kind: 'no_evidence', code: 'payment_pending' };
      }
      const exception = { tenantId, paymentId, intentId, reason: 'charged_after_release' } as const;
      return (await openException(tx, exception)) ? { kind: 'changed', outcome: 'exception' } : undefined;
    });
  }

  /** It was booked on the provider's response, and the provider says now that it was not paid. */
  async function deny({ tenantId, id: paymentId }: Payment, intent: Intent): Promise<Followed | undefined> {
    if (!deniedBy.has(intent.state)) return undefined;
    const exception = { tenantId, paymentId, intentId: intent.id, reason: 'charge_denied' } as const;
    return (await openException(db, exception)) ? { kind: 'changed', outcome: 'exception' } : undefined;
  }

  /** An operator asserted that it was charged. What the provider says now confirms or denies it, or leaves it open. */
  async function verifyAssertion(payment: Payment, intent: Intent): Promise<Followed> {
    const { tenantId, id: paymentId } = payment;
    if (intent.state === 'succeeded' && !contradicts(payment, intent)) {
      await db.payment.update({ where: byId(payment), data: { assertedAt: null } });
      return { kind: 'changed', outcome: 'assertion_confirmed' };
    }
    if (!deniedBy.has(intent.state)) return { kind: 'undecided', code: `provider_${intent.state}` };
    await openException(db, { tenantId, paymentId, intentId: intent.id, reason: 'assertion_denied' });
    return { kind: 'changed', outcome: 'exception' };
  }

  /** Our database has lost the payment, and the intent names it. */
  async function findLostOperation({ tenantId, operationId }: Intent): Promise<OperationRef | undefined> {
    const id = z.guid().safeParse(operationId).data;
    if (id === undefined || tenantId === undefined) return undefined;
    return (await isOwnTenant(db, tenantId)) ? { tenantId, id } : undefined;
  }

  /** Neither the record nor the payment exists, although the provider has an intent with our metadata. */
  async function followLost(
    operation: OperationRef,
    intentId: string,
    isPaid: boolean,
  ): Promise<Followed | undefined> {
    if (!(await isOwnTenant(db, operation.tenantId))) return undefined;
    const restored = await restoreLostPayment({ db, provider }, operation, intentId, isPaid);
    if (!restored || 'code' in restored) return restored;
    return { kind: 'changed', outcome: 'exception' };
  }
}

/** The event is about a refund made in the dashboard, which is followed next, when its charge has been shown to an operator. */
function goOnAfter(followed: Followed | undefined): Followed | undefined {
  return followed?.kind === 'changed' ? undefined : followed;
}

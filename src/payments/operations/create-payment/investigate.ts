import type { OperationRecord, OperationRef } from '#idempotency/index.ts';
import {
  type Finding,
  findingOf,
  type InvestigatorOf,
  isStillUnknown,
  noEvidence,
  notOpenedYet,
  type Wait,
  wait,
} from '#payments/investigator.ts';
import type { Payment } from '#payments/payment.ts';
import { findPaymentByOperation } from '#payments/payment-rows.ts';
import type { Intent, ProviderResult } from '#payments/provider.ts';
import { isAnnouncedAsPaid } from '#payments/stripe/announced.ts';
import type { DefinitionOf, KindParts } from '../operation-kind.ts';
import { type Decision, decide, type Evidence, evidenceOf } from './decide.ts';
import { actionTimeoutMs } from './definition.ts';
import { paymentAdmissibility, snapshotOfIntent } from './snapshot.ts';
import {
  afterDecline,
  canceledPayment,
  completedPayment,
  unrecordedPayment,
  verdictOnFinalIntent,
} from './verdicts.ts';

const invalidResponse = { kind: 'ambiguous', code: 'provider_response_invalid' } as const;

/** Its reference would be free, and could be paid again. */
function isUnpaid(decision: Decision): decision is Decision & { readonly intent: Intent } {
  return decision.kind === 'release' || (decision.kind === 'complete' && decision.result.kind === 'declined');
}

/** The operations that take a payment, under names of their own. */
type PaymentOperation = 'payment.create' | 'order.pay';

/** Asks the provider about a payment by the intent we recorded, and cancels it if it was never confirmed, or declined. */
export function createPaymentInvestigator(
  definition: DefinitionOf<PaymentOperation>,
  { db, provider }: KindParts,
): InvestigatorOf<PaymentOperation> {
  return {
    definition,
    assertions: { happened: 'charged', didNot: 'not_charged' },
    admissibility: paymentAdmissibility,
    async investigate(record, options) {
      const payment = await findPaymentByOperation(db, record);
      if (!payment) return wait('payment_missing');
      // A later attempt has not taken the reference again so far. Whether it may depends on what was decided about the money.
      const { status, effectSent } = record;
      if (status === 'in_progress' && !effectSent && payment.status !== 'pending')
        return noEvidence(notOpenedYet);
      const evidence = await ask(payment, status !== 'unknown');
      if (evidence.kind !== 'intent') return conclude(record, payment, evidence);
      const actionTimedOut = await hasActionTimedOut(record);
      const cancelWaiting = options?.cancelWaiting ?? false;
      return conclude(record, payment, { ...evidence, actionTimedOut, cancelWaiting });
    },
    async examine(record) {
      const payment = await findPaymentByOperation(db, record);
      if (!payment) return { state: 'missing', facts: {} };
      if (!payment.providerIntentId) return { state: 'nothing_recorded', facts: {} };
      return snapshotOfIntent(payment, await provider.retrieveIntent(payment.providerIntentId, payment));
    },
    async completionOf(record, { facts }) {
      const payment = await findPaymentByOperation(db, record);
      const intentId = payment?.providerIntentId;
      if (!payment || !intentId) return undefined;
      const final = { kind: 'succeeded', intentId, chargeId: facts.chargeId } as const;
      return completedPayment(payment, final, 'assertion');
    },
  };

  /** While its owner is alive, an intent may be about to be recorded. */
  async function ask(payment: Payment, ownerIsAlive: boolean): Promise<Evidence> {
    if (payment.providerIntentId) {
      const found = await provider.retrieveIntent(payment.providerIntentId, payment);
      return evidenceOf(isOfOther(payment, found) ? invalidResponse : found);
    }
    return ownerIsAlive ? { kind: 'no_evidence', code: 'no_intent_yet' } : { kind: 'unrecorded' };
  }

  /** The id may come from a response that was wrong. Metadata can be removed at the provider, so none says nothing. */
  function isOfOther({ operationId }: Payment, found: ProviderResult): boolean {
    return found.kind === 'responded' && (found.intent.operationId ?? operationId) !== operationId;
  }

  /**
   * Counted from when this attempt became unknown, which is when the shopper was sent to the bank: the payment itself may
   * be a retry of something older.
   */
  async function hasActionTimedOut({ tenantId, id }: OperationRef): Promise<boolean> {
    const [row] = await db.$queryRaw<{ over: boolean }[]>`
      SELECT unknown_since < clock_timestamp() - ${actionTimeoutMs}::int * interval '1 millisecond' AS over
      FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'unknown'`;
    return row?.over ?? false;
  }

  /**
   * The response that sent the shopper to their bank may have been lost: without its address they could neither confirm the
   * payment nor cancel it. What has been resolved or claimed again meanwhile has another status or another intent.
   */
  function nextActionOf({ tenantId, id }: Payment, evidence: Evidence): Pick<Wait, 'writes'> {
    if (evidence.kind !== 'intent' || evidence.intent.state !== 'requires_action') return {};
    const { id: providerIntentId, actionUrl: nextActionUrl } = evidence.intent;
    if (nextActionUrl === undefined) return {};
    return {
      async writes() {
        await db.payment.updateMany({
          where: { tenantId, id, status: 'pending', providerIntentId, nextActionUrl: null },
          data: { nextActionUrl },
        });
      },
    };
  }

  async function conclude(
    record: OperationRecord,
    payment: Payment,
    evidence: Evidence,
    mayCancel = true,
  ): Promise<Finding> {
    const decision = decide(evidence);
    if (decision.kind === 'wait') return { ...decision, ...nextActionOf(payment, evidence) };
    if (isUnpaid(decision) && (await isAnnouncedAsPaid(db, record, decision.intent.id)))
      return wait('contradictory');
    if (decision.kind === 'complete')
      return findingOf(verdictOnFinalIntent(payment, decision.result, decision.intent));
    if (decision.kind === 'release') return findingOf(canceledPayment(payment, decision.intent));
    if (decision.kind === 'release_unrecorded')
      return findingOf(unrecordedPayment(payment, 'no_intent_recorded'));
    // While its owner is alive, or after the key was claimed again, an open intent may be about to be confirmed or cancelled.
    const { intent } = decision;
    if (!mayCancel || !(await isStillUnknown(db, record))) {
      return wait(intent.state === 'declined' ? 'provider_declined' : 'not_confirmed');
    }
    // The response to a cancel that comes too late contains the intent's state: that is evidence as well.
    const canceled = await provider.cancelIntent(intent.id, payment);
    const result = intent.state === 'declined' ? afterDecline(intent, canceled) : canceled;
    return conclude(record, payment, evidenceOf(result), false);
  }
}

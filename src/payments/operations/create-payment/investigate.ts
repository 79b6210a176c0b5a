import type { OperationRef } from '#idempotency/index.ts';
import { type Finding, findingOf, type InvestigatorOf, wait } from '#payments/investigator.ts';
import type { Payment } from '#payments/payment.ts';
import { findPaymentByOperation } from '#payments/payment-rows.ts';
import type { KindParts } from '../operation-kind.ts';
import { decide, type Evidence, evidenceOf, evidenceOfCreate } from './decide.ts';
import { actionTimeoutMs, createPaymentDefinition } from './definition.ts';
import { paymentAdmissibility, snapshotOfIntent } from './snapshot.ts';
import { canceledPayment, completedPayment, uncreatedPayment, verdictOnFinalIntent } from './verdicts.ts';

/** Asks the provider about a payment by the intent we recorded, and cancels it if it was never confirmed. */
export function createPaymentInvestigator({ db, provider }: KindParts): InvestigatorOf<'payment.create'> {
  return {
    definition: createPaymentDefinition,
    assertions: { happened: 'charged', didNot: 'not_charged' },
    admissibility: paymentAdmissibility,
    async investigate(record, options) {
      const payment = await findPaymentByOperation(db, record);
      if (!payment) return wait('payment_missing');
      // While its owner is alive an unconfirmed intent may be about to be confirmed.
      const mayCancel = record.status === 'unknown';
      const evidence = await ask(payment, mayCancel);
      if (evidence.kind !== 'intent') return conclude(payment, evidence, mayCancel);
      const actionExpired = await hasActionExpired(record);
      const withdraw = options?.withdraw ?? false;
      return conclude(payment, { ...evidence, actionExpired, withdraw }, mayCancel);
    },
    async examine(record) {
      const payment = await findPaymentByOperation(db, record);
      if (!payment) return { says: 'missing', facts: {} };
      if (!payment.providerIntentId) return { says: 'nothing_recorded', facts: {} };
      return snapshotOfIntent(payment, await provider.retrieveIntent(payment.providerIntentId, payment));
    },
    async completionOf(record, { facts }) {
      const payment = await findPaymentByOperation(db, record);
      const intentId = payment?.providerIntentId;
      if (!payment || !intentId) return undefined;
      return completedPayment(payment, { kind: 'succeeded', intentId, chargeId: facts.chargeId });
    },
  };

  /** Without a recorded id the create is sent again, under its old key: it moves no money and returns the id. */
  async function ask(payment: Payment, mayCreate: boolean): Promise<Evidence> {
    if (!payment.providerIntentId && !mayCreate) return { kind: 'no_evidence', code: 'no_intent_yet' };
    return payment.providerIntentId
      ? evidenceOf(await provider.retrieveIntent(payment.providerIntentId, payment))
      : evidenceOfCreate(await provider.createIntent(payment));
  }

  /**
   * Counted from when this attempt became unknown, which is when the shopper was sent to the bank: the payment itself may
   * be a retry of something older. A record is not updated while it is unknown.
   */
  async function hasActionExpired({ tenantId, id }: OperationRef): Promise<boolean> {
    const [row] = await db.$queryRaw<{ over: boolean }[]>`
      SELECT updated_at < clock_timestamp() - ${actionTimeoutMs}::int * interval '1 millisecond' AS over
      FROM operation WHERE tenant_id = ${tenantId} AND id = ${id}::uuid AND status = 'unknown'`;
    return row?.over ?? false;
  }

  async function conclude(payment: Payment, evidence: Evidence, mayCancel: boolean): Promise<Finding> {
    const decision = decide(evidence);
    if (decision.kind === 'wait') return decision;
    if (decision.kind === 'complete')
      return findingOf(verdictOnFinalIntent(payment, decision.result, decision.intent));
    if (decision.kind === 'release') return findingOf(canceledPayment(payment, decision.intent));
    if (decision.kind === 'release_uncreated') return findingOf(uncreatedPayment(payment, decision.code));
    if (!mayCancel) return wait('not_confirmed');
    // The response to a cancel that comes too late contains the intent's state: that is evidence as well.
    const { id } = decision.intent;
    return conclude(payment, evidenceOf(await provider.cancelIntent(id, payment)), false);
  }
}

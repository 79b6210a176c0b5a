import {
  believedPayment,
  createPaymentOperation,
  fencedPayment,
  findPaymentByOperation,
  type Payment,
  type PaymentProvider,
  settledPayment,
  unmadePayment,
} from '#payments/index.ts';
import { decide, type Evidence, evidenceOf, evidenceOfCreate } from './decide.ts';
import { type Finding, findingOf, type Investigator, type Tx, wait } from '#reconciliation/investigate.ts';
import { type Sighting, sightingOfIntent } from '#reconciliation/provider-snapshot.ts';

/** A bank's question to the shopper is open for minutes; after an hour nobody is sitting there any more. */
const patienceMs = 60 * 60 * 1000;

/** Asks the provider about a payment by the intent we recorded, and fences it if it was never confirmed. */
export function createPaymentInvestigator(parts: {
  readonly db: Tx;
  readonly provider: PaymentProvider;
}): Investigator {
  const { db, provider } = parts;

  return {
    operation: createPaymentOperation,
    claims: { happened: 'charged', didNot: 'not_charged' },
    async investigate(record, leave) {
      const payment = await findPaymentByOperation(db, record.id);
      if (!payment) return wait('payment_missing');
      // While its owner is alive an unconfirmed intent is not lost: it is about to be confirmed.
      const mayFence = record.status === 'unknown';
      const evidence = await ask(payment, mayFence);
      if (evidence.kind !== 'intent') return conclude(payment, evidence, mayFence);
      const patienceOver = await isPatienceOver(record.id);
      const withdraw = leave?.withdraw ?? false;
      return conclude(payment, { ...evidence, patienceOver, withdraw }, mayFence);
    },
    async examine(record): Promise<Sighting> {
      const payment = await findPaymentByOperation(db, record.id);
      if (!payment) return { says: 'missing', facts: {} };
      if (!payment.providerIntentId) return { says: 'nothing_recorded', facts: {} };
      return sightingOfIntent(payment, await provider.retrieveIntent(payment.providerIntentId, payment));
    },
    async believe(record, { facts }) {
      const payment = await findPaymentByOperation(db, record.id);
      const intentId = payment?.providerIntentId;
      if (!payment || !intentId) return undefined;
      return believedPayment(payment, { kind: 'succeeded', intentId, chargeId: facts.chargeId });
    },
  };

  /** Without an id on record the create is sent again, under its old key: it moves no money and tells the id. */
  async function ask(payment: Payment, mayCreate: boolean): Promise<Evidence> {
    if (!payment.providerIntentId && !mayCreate) return { kind: 'no_word', code: 'no_intent_yet' };
    return payment.providerIntentId
      ? evidenceOf(await provider.retrieveIntent(payment.providerIntentId, payment))
      : evidenceOfCreate(await provider.createIntent(payment));
  }

  /**
   * Counted from when this attempt became unknown, which is when the shopper was sent to the bank: the payment itself may
   * be a retry of something older. A record that is unknown is updated by nothing but its end.
   */
  async function isPatienceOver(operationId: string): Promise<boolean> {
    const [row] = await db.$queryRaw<{ over: boolean }[]>`
      SELECT updated_at < clock_timestamp() - ${patienceMs}::int * interval '1 millisecond' AS over
      FROM idempotency_record WHERE id = ${operationId}::uuid AND status = 'unknown'`;
    return row?.over ?? false;
  }

  async function conclude(payment: Payment, evidence: Evidence, mayFence: boolean): Promise<Finding> {
    const decision = decide(evidence);
    if (decision.kind === 'wait') return decision;
    if (decision.kind === 'settle')
      return findingOf(settledPayment(payment, decision.result, decision.intent));
    if (decision.kind === 'release') return findingOf(fencedPayment(payment, decision.intent));
    if (decision.kind === 'release_unmade') return findingOf(unmadePayment(payment, decision.code));
    if (!mayFence) return wait('not_confirmed');
    // A cancel that comes too late is answered with what the intent has become: that is evidence as well.
    const { id } = decision.intent;
    return conclude(payment, evidenceOf(await provider.cancelIntent(id, payment)), false);
  }
}

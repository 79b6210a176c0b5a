import type { OperationRecord } from '#idempotency/index.ts';
import {
  believedRefund,
  createRefundOperation,
  findRefundByOperation,
  type PaymentProvider,
  type RefundRequest,
  type RefundResult,
  verdictOnRefund,
} from '#payments/index.ts';
import { type Finding, findingOf, type Investigator, noWord, type Tx, wait } from '#reconciliation/investigate.ts';
import { type Sighting, sightingOfRefund } from '#reconciliation/provider-snapshot.ts';

/**
 * A provider forgets idempotency keys after a day, and a refund sent again after that is a second refund. An hour of
 * margin covers clocks that disagree.
 */
const resendWithinMs = 23 * 60 * 60 * 1000;

/**
 * A refund cannot be fenced, but sending it again under its old key is safe while the provider remembers the key: it
 * answers with what happened, or does what was wanted all along.
 */
export function createRefundInvestigator(parts: {
  readonly db: Tx;
  readonly provider: PaymentProvider;
}): Investigator {
  const { db, provider } = parts;

  return {
    operation: createRefundOperation,
    claims: { happened: 'refunded', didNot: 'not_refunded' },
    async investigate(record): Promise<Finding> {
      const refund = await findRefundByOperation(db, record.id);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return wait('refund_missing');
      const result = await ask(record, { ...refund, intentId });
      if (!result) return noWord('refund_not_found');
      // Being refused now, or not reaching the provider, says nothing about what reached it then: a key that was
      // changed meanwhile refuses every question. Only what became of the refund itself is a verdict.
      if (result.kind !== 'answered') return noWord(result.code);
      return findingOf(verdictOnRefund(refund, result));
    },
    async examine(record): Promise<Sighting> {
      const refund = await findRefundByOperation(db, record.id);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return { says: 'missing', facts: {} };
      return sightingOfRefund(refund, await provider.findRefund({ ...refund, intentId }));
    },
    async believe(record, { facts }) {
      const refund = await findRefundByOperation(db, record.id);
      return refund && believedRefund(refund, facts.id);
    },
  };

  /** What the provider lists, or else what it answers to the refund sent again. While an owner is alive, the owner sends. */
  async function ask(record: OperationRecord, request: RefundRequest): Promise<RefundResult | undefined> {
    const found = await provider.findRefund(request);
    if (found || record.status !== 'unknown') return found;
    return (await isFresh(record)) ? provider.createRefund(request) : undefined;
  }

  /** Judged by the database's clock. */
  async function isFresh(record: OperationRecord): Promise<boolean> {
    const [row] = await db.$queryRaw<{ fresh: boolean }[]>`
      SELECT created_at > clock_timestamp() - ${resendWithinMs}::bigint * interval '1 millisecond' AS fresh
      FROM idempotency_record WHERE id = ${record.id}::uuid`;
    return row?.fresh ?? false;
  }
}

import type { OperationRecord } from '#idempotency/index.ts';
import { type Finding, findingOf, type InvestigatorOf, noEvidence, wait } from '#payments/investigator.ts';
import type { RefundRequest, RefundResult } from '#payments/provider.ts';
import type { KindParts } from '../operation-kind.ts';
import { createRefundDefinition } from './definition.ts';
import { findRefundByOperation } from './refund.ts';
import { refundAdmissibility, snapshotOfRefund } from './snapshot.ts';
import { completedRefund, verdictOnRefund } from './verdicts.ts';

/**
 * A provider forgets idempotency keys after a day, and a refund sent again after that is a second refund. An hour of
 * margin covers clocks that disagree.
 */
const resendWithinMs = 23 * 60 * 60 * 1000;

/**
 * A refund cannot be cancelled, but sending it again under its old key is safe while the provider remembers the key: it
 * responds with what happened, or makes the refund now.
 */
export function createRefundInvestigator({ db, provider }: KindParts): InvestigatorOf<'refund.create'> {
  return {
    definition: createRefundDefinition,
    assertions: { happened: 'refunded', didNot: 'not_refunded' },
    admissibility: refundAdmissibility,
    async investigate(record): Promise<Finding> {
      const refund = await findRefundByOperation(db, record);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return wait('refund_missing');
      const result = await ask(record, { ...refund, intentId });
      if (!result) return noEvidence('refund_not_found');
      // Being refused now, or not reaching the provider, proves nothing about the earlier request: with a rolled API key
      // every request is refused. Only the state of the refund itself is a verdict.
      if (result.kind !== 'responded') return noEvidence(result.code);
      return findingOf(verdictOnRefund(refund, result));
    },
    async examine(record) {
      const refund = await findRefundByOperation(db, record);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return { says: 'missing', facts: {} };
      return snapshotOfRefund(refund, await provider.findRefund({ ...refund, intentId }));
    },
    async completionOf(record, { facts }) {
      const refund = await findRefundByOperation(db, record);
      return refund && completedRefund(refund, facts.id);
    },
  };

  /** What the provider lists, or else its response to the refund sent again. While an owner is alive, only the owner sends. */
  async function ask(record: OperationRecord, request: RefundRequest): Promise<RefundResult | undefined> {
    const found = await provider.findRefund(request);
    if (found || record.status !== 'unknown') return found;
    return (await isFresh(record)) ? provider.createRefund(request) : undefined;
  }

  /** By the database's clock. */
  async function isFresh(record: OperationRecord): Promise<boolean> {
    const [row] = await db.$queryRaw<{ fresh: boolean }[]>`
      SELECT created_at > clock_timestamp() - ${resendWithinMs}::bigint * interval '1 millisecond' AS fresh
      FROM operation WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    return row?.fresh ?? false;
  }
}

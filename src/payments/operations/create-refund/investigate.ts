import type { OperationRecord } from '#idempotency/index.ts';
import {
  type Finding,
  findingOf,
  type InvestigatorOf,
  isStillUnknown,
  noEvidence,
  wait,
} from '#payments/investigator.ts';
import type { RefundRequest, RefundResult } from '#payments/provider.ts';
import { isAnnouncedAsRefunded } from '#payments/stripe/announced.ts';
import type { KindParts } from '../operation-kind.ts';
import { createRefundDefinition } from './definition.ts';
import { isAbsenceProof, mayResend } from './key-window.ts';
import { findRefundByOperation, type Refund } from './refund.ts';
import { refundAdmissibility, snapshotOfRefund } from './snapshot.ts';
import { absentRefund, completedRefund, verdictOnRefund } from './verdicts.ts';

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
      if (!result) return findingOnAbsence(record, refund);
      // Being refused now, or not reaching the provider, proves nothing about the earlier request: with a rolled API key
      // every request is refused. Only the state of the refund itself is a verdict.
      if (result.kind !== 'responded') return noEvidence(result.code);
      return findingOf(verdictOnRefund(refund, result));
    },
    async examine(record) {
      const refund = await findRefundByOperation(db, record);
      const intentId = refund?.payment.providerIntentId;
      if (!refund || !intentId) return { state: 'missing', facts: {} };
      return snapshotOfRefund(refund, await provider.findRefund({ ...refund, intentId }));
    },
    async completionOf(record, { facts }) {
      const refund = await findRefundByOperation(db, record);
      return refund && completedRefund(refund, facts.id, 'assertion');
    },
  };

  /**
   * The provider does not list the refund, and it was not sent again. While a request for it could still be executed, that
   * proves nothing. Afterwards it does: no request of ours is on its way any more, and the next attempt uses another key.
   */
  async function findingOnAbsence(record: OperationRecord, refund: Refund): Promise<Finding> {
    if (
      record.status !== 'unknown' ||
      !(await isAbsenceProof(db, record)) ||
      (await isAnnouncedAsRefunded(db, record, refund.generation))
    ) {
      return noEvidence('refund_not_found');
    }
    return findingOf(absentRefund(refund));
  }

  /** What the provider lists, or else its response to the refund sent again. While an owner is alive, only the owner sends. */
  async function ask(record: OperationRecord, request: RefundRequest): Promise<RefundResult | undefined> {
    const found = await provider.findRefund(request);
    if (found || record.status !== 'unknown') return found;
    // It exists, although it is not listed yet.
    if (await isAnnouncedAsRefunded(db, record, request.generation)) return undefined;
    if (!(await mayResend(db, record)) || !(await isStillUnknown(db, record))) return undefined;
    return provider.createRefund(request);
  }
}

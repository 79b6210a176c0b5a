import { createHash } from 'node:crypto';
import {
  type Payment,
  type ProviderResult,
  type Refund,
  type RefundResult,
  requestedRefund,
} from '#payments/index.ts';
import { contradicts } from '#payments/money.ts';

/** The state of an operation at the provider: the rows of the table in `assess.ts`. */
export const snapshotStates = [
  'succeeded',
  'declined',
  'created',
  'requires_action',
  'processing',
  'canceled',
  'other',
  /** It charged, but not what we asked for. */
  'contradictory',
  'refund_succeeded',
  'refund_pending',
  'refund_failed',
  /** It paid back, but not what we asked for. */
  'refund_contradictory',
  /** It lists no refund of ours. Absence is never proof. */
  'no_refund',
  /** Not reached, or no usable response: time-out, reset, 5xx, too many requests. */
  'silent',
  /** It refused the request: no such object, or not for us. */
  'refused',
  /** We have no id to ask about: nothing was ever confirmed. */
  'nothing_recorded',
  /** Our own record of what was wanted is missing. */
  'missing',
] as const;
export type SnapshotState = (typeof snapshotStates)[number];

/** The provider's side of an operation at one moment. Plain data: it is shown, kept as evidence, and compared. */
export interface ProviderSnapshot {
  readonly says: SnapshotState;
  /** Why there was no response. */
  readonly code?: string;
  readonly facts: {
    readonly id?: string;
    readonly chargeId?: string;
    readonly amountMinor?: number;
    readonly currency?: string;
    readonly reference?: string;
    readonly declineCode?: string;
    readonly createdAt?: string;
  };
}

export function snapshotOfIntent(payment: Payment, result: ProviderResult): ProviderSnapshot {
  if (result.kind !== 'responded') return noEvidence(result);
  const { intent } = result;
  const says = intent.state === 'succeeded' && contradicts(payment, intent) ? 'contradictory' : intent.state;
  return {
    says,
    facts: {
      id: intent.id,
      amountMinor: intent.amountMinor,
      currency: intent.currency,
      ...(intent.chargeId && { chargeId: intent.chargeId }),
      ...(intent.reference && { reference: intent.reference }),
      ...(intent.declineCode && { declineCode: intent.declineCode }),
      ...(intent.createdAt && { createdAt: intent.createdAt.toISOString() }),
    },
  };
}

export function snapshotOfRefund(refund: Refund, result: RefundResult | undefined): ProviderSnapshot {
  if (!result) return { says: 'no_refund', facts: {} };
  if (result.kind !== 'responded') return noEvidence(result);
  const { state, ...facts } = result.refund;
  const other = state === 'succeeded' && contradicts(requestedRefund(refund), facts);
  return { says: other ? 'refund_contradictory' : `refund_${state}`, facts };
}

function noEvidence(result: Exclude<ProviderResult, { kind: 'responded' }>): ProviderSnapshot {
  return { says: result.kind === 'rejected' ? 'refused' : 'silent', code: result.code, facts: {} };
}

/**
 * Two snapshots with one digest are the same evidence. All ways of not responding are equal; refusals differ by their
 * code.
 */
export function digestOf({ says, code, facts }: ProviderSnapshot): string {
  const { id, chargeId, amountMinor, currency, reference, declineCode } = facts;
  const state = [says, says === 'refused' ? code : null];
  const parts = [...state, id, chargeId, amountMinor, currency, reference, declineCode];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');
}

import { createHash } from 'node:crypto';
import {
  askedBack,
  type Payment,
  type ProviderResult,
  type Refund,
  type RefundResult,
} from '#payments/index.ts';
import { contradicts } from '#payments/money.ts';

/** What the provider was seen to say about an operation, in one word: the rows of the table in `weigh.ts`. */
export const sayings = [
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
  /** Not reached, or no answer that means anything: time-out, reset, 5xx, too many requests. */
  'silent',
  /** It answered that it cannot say: no such thing, or not for us. */
  'refused',
  /** We have no id to ask about: nothing was ever confirmed. */
  'nothing_recorded',
  /** Our own record of what was wanted is missing. */
  'missing',
] as const;
export type Saying = (typeof sayings)[number];

/** The provider's side of the story at one moment. Plain data: it is shown, kept as evidence, and compared. */
export interface Sighting {
  readonly says: Saying;
  /** Why there was no word. */
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

export function sightingOfIntent(payment: Payment, result: ProviderResult): Sighting {
  if (result.kind !== 'answered') return noWord(result);
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

export function sightingOfRefund(refund: Refund, result: RefundResult | undefined): Sighting {
  if (!result) return { says: 'no_refund', facts: {} };
  if (result.kind !== 'answered') return noWord(result);
  const { state, ...facts } = result.refund;
  const other = state === 'succeeded' && contradicts(askedBack(refund), facts);
  return { says: other ? 'refund_contradictory' : `refund_${state}`, facts };
}

function noWord(result: Exclude<ProviderResult, { kind: 'answered' }>): Sighting {
  return { says: result.kind === 'rejected' ? 'refused' : 'silent', code: result.code, facts: {} };
}

/**
 * Two sightings with one digest say the same about what happened. Silence is silence, whichever way it comes about; a
 * refusal is its code.
 */
export function digestOf({ says, code, facts }: Sighting): string {
  const { id, chargeId, amountMinor, currency, reference, declineCode } = facts;
  const told = [says, says === 'refused' ? code : null];
  const parts = [...told, id, chargeId, amountMinor, currency, reference, declineCode];
  return createHash('sha256')
    .update(JSON.stringify(parts.map((part) => part ?? null)))
    .digest('hex');
}

import type { Saying } from './provider-snapshot.ts';

/** What a person may claim about an operation. */
export const claims = ['charged', 'not_charged', 'refunded', 'not_refunded'] as const;
export type Claim = (typeof claims)[number];

export type Refusal =
  /** The provider's definite answer is the opposite. */
  | 'provider_says_otherwise'
  /** No confirm was ever accepted: nothing can have been charged. */
  | 'never_confirmed'
  /** The bank has not been given leave to charge yet. */
  | 'not_charged_yet'
  /** It might still happen, and nobody can be asked to stop it. */
  | 'cannot_be_fenced'
  /** That it is not listed does not mean that it did not happen. */
  | 'absence_is_no_proof'
  /** Money did move; only how much is in doubt. */
  | 'money_moved'
  | 'nothing_on_record'
  /** It belongs to another kind of operation. */
  | 'not_of_this_kind';

/** How far the evidence carries a claim. */
export type Standing =
  /** The provider says the same: it goes through at once, as the reconciliation that it is. */
  | { readonly kind: 'proven' }
  /** It can be made true and proven by that: what could still charge is cancelled first. */
  | { readonly kind: 'fence' }
  /** The provider neither proves nor denies it: a second person has to agree. */
  | { readonly kind: 'override' }
  | { readonly kind: 'refused'; readonly why: Refusal };

const proven: Standing = { kind: 'proven' };
const fence: Standing = { kind: 'fence' };
const override: Standing = { kind: 'override' };
const refused = (why: Refusal): Standing => ({ kind: 'refused', why });

/**
 * What a person may say, given what the provider says. The left column is "it happened", the right "it did not".
 *
 * Only "it happened" can ever be said without proof. To say "it did not" releases the key, and the shopper pays again:
 * if it was wrong, they have paid twice. So that takes an answer or a fence, always; who cannot reach the provider waits.
 * To say "it happened" wrongly costs the merchant the goods, which the merchant may decide, with four eyes.
 */
const table: Record<Saying, readonly [happened: Standing, didNot: Standing]> = {
  succeeded: [proven, refused('provider_says_otherwise')],
  declined: [refused('provider_says_otherwise'), proven],
  canceled: [refused('provider_says_otherwise'), proven],
  created: [refused('never_confirmed'), fence],
  nothing_recorded: [refused('never_confirmed'), fence],
  requires_action: [refused('not_charged_yet'), fence],
  processing: [override, refused('cannot_be_fenced')],
  other: [override, fence],
  contradictory: [override, refused('money_moved')],
  silent: [override, refused('cannot_be_fenced')],
  refused: [override, refused('cannot_be_fenced')],
  refund_succeeded: [proven, refused('provider_says_otherwise')],
  refund_failed: [refused('provider_says_otherwise'), proven],
  refund_contradictory: [override, refused('money_moved')],
  refund_pending: [override, refused('cannot_be_fenced')],
  no_refund: [override, refused('absence_is_no_proof')],
  missing: [refused('nothing_on_record'), refused('nothing_on_record')],
};

export function weigh(says: Saying, claim: Claim): Standing {
  const [happened, didNot] = table[says];
  return claim === 'charged' || claim === 'refunded' ? happened : didNot;
}

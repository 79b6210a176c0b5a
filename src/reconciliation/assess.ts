import type { SnapshotState } from './provider-snapshot.ts';

/** What an operator may assert about an operation. */
export const assertions = ['charged', 'not_charged', 'refunded', 'not_refunded'] as const;
export type Assertion = (typeof assertions)[number];

export type Refusal =
  /** The provider's definitive response is the opposite. */
  | 'provider_says_otherwise'
  /** No confirm was ever accepted: nothing can have been charged. */
  | 'never_confirmed'
  /** The shopper's bank has not authenticated the charge yet. */
  | 'not_charged_yet'
  /** It might still happen, and it cannot be cancelled. */
  | 'cannot_be_canceled'
  /** That it is not listed does not prove that it did not happen. */
  | 'absence_is_no_proof'
  /** Money did move; only the amount is uncertain. */
  | 'money_moved'
  | 'nothing_on_record'
  /** It belongs to another kind of operation. */
  | 'not_of_this_kind';

/** Whether the evidence admits an assertion, and how. */
export type Admissibility =
  /** The provider says the same: it is a reconciliation, and takes effect at once. */
  | { readonly kind: 'proven' }
  /** It can be made true, and is proven by that: what could still charge is cancelled first. */
  | { readonly kind: 'fence' }
  /** The provider neither proves nor denies it: a second operator has to agree. */
  | { readonly kind: 'override' }
  | { readonly kind: 'refused'; readonly why: Refusal };

const proven: Admissibility = { kind: 'proven' };
const fence: Admissibility = { kind: 'fence' };
const override: Admissibility = { kind: 'override' };
const refused = (why: Refusal): Admissibility => ({ kind: 'refused', why });

/**
 * What an operator may assert, given the provider's state. The left column is "it happened", the right "it did not".
 *
 * Only "it happened" can be asserted without proof. "It did not" releases the key, and the shopper pays again: if that was
 * wrong, they have paid twice. So it takes the provider's response or a cancelled intent, always; without the provider the
 * operator waits. A wrong "it happened" costs the merchant the goods, which the merchant may decide, with four eyes.
 */
const table: Record<SnapshotState, readonly [happened: Admissibility, didNot: Admissibility]> = {
  succeeded: [proven, refused('provider_says_otherwise')],
  declined: [refused('provider_says_otherwise'), proven],
  canceled: [refused('provider_says_otherwise'), proven],
  created: [refused('never_confirmed'), fence],
  nothing_recorded: [refused('never_confirmed'), fence],
  requires_action: [refused('not_charged_yet'), fence],
  processing: [override, refused('cannot_be_canceled')],
  other: [override, fence],
  contradictory: [override, refused('money_moved')],
  silent: [override, refused('cannot_be_canceled')],
  refused: [override, refused('cannot_be_canceled')],
  refund_succeeded: [proven, refused('provider_says_otherwise')],
  refund_failed: [refused('provider_says_otherwise'), proven],
  refund_contradictory: [override, refused('money_moved')],
  refund_pending: [override, refused('cannot_be_canceled')],
  no_refund: [override, refused('absence_is_no_proof')],
  missing: [refused('nothing_on_record'), refused('nothing_on_record')],
};

export function assess(state: SnapshotState, assertion: Assertion): Admissibility {
  const [happened, didNot] = table[state];
  return assertion === 'charged' || assertion === 'refunded' ? happened : didNot;
}

import type { OperationName, ProviderStateOf, RefusalOf } from './operations/copy.ts';

/** Whether the evidence admits an assertion, and how. */
export type Admissibility<Name extends OperationName = OperationName> =
  /** The provider says the same: it is a reconciliation, and takes effect at once. */
  | { readonly kind: 'proven' }
  /** It can be made true, and is proven by that: what could still move money is cancelled first. */
  | { readonly kind: 'cancel_first' }
  /** The provider neither proves nor denies it: a second operator has to agree. */
  | { readonly kind: 'override' }
  | { readonly kind: 'refused'; readonly why: RefusalOf<Name> };

export type AdmissibilityRow<Name extends OperationName = OperationName> = readonly [
  happened: Admissibility<Name>,
  didNot: Admissibility<Name>,
];

/**
 * What an operator may assert, given the provider's state. The left column is "it happened", the right "it did not".
 *
 * Only "it happened" can be asserted without proof. "It did not" releases the key, and the shopper pays again: if that was
 * wrong, they have paid twice. So it takes the provider's response or a cancellation, always; without the provider the
 * operator waits. A wrong "it happened" costs the merchant the goods, which the merchant may decide, with four eyes.
 */
export type AdmissibilityTable<Name extends OperationName> = Readonly<
  Record<ProviderStateOf<Name>, AdmissibilityRow<Name>>
>;

export const proven = { kind: 'proven' } as const;
export const cancelFirst = { kind: 'cancel_first' } as const;
export const override = { kind: 'override' } as const;

export function refused<Why extends string>(why: Why): { readonly kind: 'refused'; readonly why: Why } {
  return { kind: 'refused', why };
}

/** The rows of the states that every operation has. */
export const commonRows = {
  no_response: [override, refused('cannot_be_canceled')],
  refused: [override, refused('cannot_be_canceled')],
  missing: [refused('nothing_on_record'), refused('nothing_on_record')],
} as const;

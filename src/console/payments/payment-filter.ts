import type { Currency, Money } from '#payments/money.ts';
import { readAmounts, textOf, writeAmount } from '../operations-list/operation-filter.ts';
import { type DayRange, readDay } from '../paging/days.ts';

/** Which payments the list shows, newest first. Kept in the URL, as the filter of the operations is. */
export interface PaymentFilter extends DayRange {
  readonly outcome?: PaymentOutcome | undefined;
  readonly currency?: Currency | undefined;
  readonly minMinor?: number | undefined;
  readonly maxMinor?: number | undefined;
  /** The last four digits of the card. */
  readonly last4?: string | undefined;
  /** An order, a customer's e-mail address, or an id of ours or of the provider. */
  readonly search?: string | undefined;
}

/**
 * As the badge has it. A payment that was paid back in part counts as refunded, but not while it is not known what became of a
 * refund. One that ended unpaid and was found to be charged is neither declined nor not charged.
 */
export const paymentOutcomes = [
  'paid',
  'refunded',
  'refund_unknown',
  'declined',
  'unknown',
  'not_charged',
  'found_charged',
] as const;
export type PaymentOutcome = (typeof paymentOutcomes)[number];

export function outcomeOf(payment: {
  readonly status: string;
  readonly foundCharged: boolean;
  readonly refunded: Money;
  readonly refundsPending: Money;
}): PaymentOutcome {
  if (payment.status === 'succeeded') {
    if (payment.refundsPending.amountMinor > 0) return 'refund_unknown';
    return payment.refunded.amountMinor > 0 ? 'refunded' : 'paid';
  }
  if (payment.foundCharged) return 'found_charged';
  if (payment.status === 'declined') return 'declined';
  return payment.status === 'released' ? 'not_charged' : 'unknown';
}

type Params = Readonly<Record<string, string | readonly string[] | undefined>>;

/** `shopCurrency` is that of an amount without one. */
export function readPaymentFilter(params: Params, shopCurrency?: Currency): PaymentFilter {
  const text = (name: string) => textOf(params[name]);
  const last4 = text('last4');
  return {
    outcome: paymentOutcomes.find((outcome) => outcome === text('outcome')),
    from: readDay(text('from')),
    to: readDay(text('to')),
    ...readAmounts(text, shopCurrency),
    last4: last4 && /^\d{4}$/.test(last4) ? last4 : undefined,
    search: text('q'),
  };
}

/** Canonical: equal filters give equal query strings. */
export function writePaymentFilter(filter: PaymentFilter): string {
  const entries: [string, string | undefined][] = [
    ['q', filter.search],
    ['outcome', filter.outcome],
    ['from', filter.from],
    ['to', filter.to],
    ['currency', filter.currency],
    ['min', writeAmount(filter.minMinor, filter.currency)],
    ['max', writeAmount(filter.maxMinor, filter.currency)],
    ['last4', filter.last4],
  ];
  return new URLSearchParams(
    entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
}

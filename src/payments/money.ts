/**
 * Money is an integer in the currency's own minor unit, as it goes to the provider. It becomes a decimal string only
 * for people's eyes, never for arithmetic.
 */
export const currencies = {
  usd: { exponent: 2 },
  eur: { exponent: 2 },
  gbp: { exponent: 2 },
  chf: { exponent: 2 },
  jpy: { exponent: 0 },
  krw: { exponent: 0 },
  kwd: { exponent: 3 },
} as const satisfies Record<string, { exponent: number }>;
export type Currency = keyof typeof currencies;

export const currencyCodes = Object.keys(currencies) as [Currency, ...Currency[]];

export interface Money {
  readonly amountMinor: number;
  readonly currency: Currency;
}

/** Stripe takes at most eight digits, in every currency. */
export const maxAmountMinor = 99_999_999;

export function isCurrency(code: string): code is Currency {
  return Object.hasOwn(currencies, code);
}

/** Providers take amounts of currencies with three decimals in steps of ten. */
export function isAmountAllowed({ amountMinor, currency }: Money): boolean {
  return currencies[currency].exponent < 3 || amountMinor % 10 === 0;
}

/** As the database holds it. A currency that it cannot hold is a bug, so it throws. */
export function money(amountMinor: bigint, currency: string): Money {
  if (!isCurrency(currency)) throw new Error(`The database holds the unknown currency "${currency}".`);
  return { amountMinor: Number(amountMinor), currency };
}

/** Money moved, but another amount or currency than was requested: it is not booked without an operator. */
export function contradicts(
  requested: Money,
  found: { readonly amountMinor: number; readonly currency: string },
): boolean {
  return found.amountMinor !== requested.amountMinor || found.currency !== requested.currency;
}

export function formatMoney({ amountMinor, currency }: Money, locale = 'en-US'): string {
  const { exponent } = currencies[currency];
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency: currency.toUpperCase(),
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  });
  return format.format(decimal(amountMinor, exponent));
}

/** A decimal string keeps every digit; dividing would go through binary fractions. */
function decimal(amountMinor: number, exponent: number): Intl.StringNumericLiteral {
  const digits = String(Math.abs(amountMinor)).padStart(exponent + 1, '0');
  const sign = amountMinor < 0 ? '-' : '';
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  return `${sign}${whole}${exponent > 0 ? `.${fraction}` : ''}` as Intl.StringNumericLiteral;
}

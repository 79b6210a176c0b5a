import { expect, test } from 'vitest';
import { formatMoney } from '#payments/money.ts';
import { localeOf } from './reader-locale.ts';

test.each([
  ['de-DE,de;q=0.9,en;q=0.8', 'de-DE', '14,50 €'],
  ['en-GB', 'en-GB', '€14.50'],
  ['xx-nonsense-$$, fr;q=0.5', 'fr', '14,50 €'],
  ['*', 'en-US', '€14.50'],
  [null, 'en-US', '€14.50'],
])('amounts are written for %s', (header, locale, text) => {
  expect(localeOf(header)).toBe(locale);
  expect(formatMoney({ amountMinor: 1450, currency: 'eur' }, localeOf(header)).replace(/\s/g, ' ')).toBe(
    text,
  );
});

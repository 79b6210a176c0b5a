import { expect, test } from 'vitest';
import { formatMoney, isCurrency, type Money, money } from './money.ts';
import { createPaymentCommand } from './operations/create-payment/command.ts';

test.each([
  [{ amountMinor: 1200, currency: 'usd' }, '$12.00'],
  [{ amountMinor: 5, currency: 'eur' }, '€0.05'],
  [{ amountMinor: 1200, currency: 'jpy' }, '¥1,200'],
  [{ amountMinor: 50000, currency: 'krw' }, '₩50,000'],
  [{ amountMinor: 1234567, currency: 'kwd' }, 'KWD 1,234.567'],
  [{ amountMinor: -1450, currency: 'eur' }, '-€14.50'],
  [{ amountMinor: 99_999_999, currency: 'gbp' }, '£999,999.99'],
] satisfies [Money, string][])('%j is shown as %s: each currency has its own minor unit', (amount, shown) => {
  expect(formatMoney(amount).replaceAll('\u00a0', ' ')).toBe(shown);
});

const payCommand = {
  amountMinor: 1200,
  currency: 'usd',
  paymentMethod: 'pm_card_visa',
  reference: 'invoice-1',
};

test.each([
  { amountMinor: 0 },
  { amountMinor: -1 },
  { amountMinor: 12.5 },
  { amountMinor: 100_000_000 },
  { amountMinor: '1200' },
  { currency: 'xxx' },
  { currency: 'USD' },
  // Providers take currencies with three decimals in steps of ten.
  { currency: 'kwd', amountMinor: 1234 },
  { paymentMethod: '4242424242424242' },
  { reference: ' ' },
])('a command with %j is refused before anything happens', (over) => {
  expect(createPaymentCommand.safeParse({ ...payCommand, ...over }).success).toBe(false);
});

test.each(['jpy', 'krw', 'kwd'])('%s is accepted as an integer of its own minor unit', (currency) => {
  expect(createPaymentCommand.parse({ ...payCommand, currency })).toMatchObject({
    amountMinor: 1200,
    currency,
  });
});

test.each(['xxx', 'USD', '', 'constructor', 'toString'])(
  '%j is no currency, and money in it is a loud bug',
  (code) => {
    expect(isCurrency(code)).toBe(false);
    expect(() => money(1200n, code)).toThrow(`unknown currency "${code}"`);
  },
);

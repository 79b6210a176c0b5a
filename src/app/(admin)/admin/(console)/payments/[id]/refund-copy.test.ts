import { expect, test } from 'vitest';
import { readAmount } from '#console/operations-list/operation-filter.ts';
import { amountAdvice, refundNotice } from './refund-copy.ts';

/** Apart from a reference that is taken: the page is then outdated, which has a notice of its own. */
const refusals = [
  'payment_not_refundable',
  'refund_exceeds_payment',
  'refund_amount_not_allowed',
  'provider_rejected',
  'provider_unavailable',
  'comparing_with_provider',
];

test.each(refusals)(
  'a refund refused with %s says what an operator can do, not what a program can',
  (code) => {
    const action = 'Send the same request with the same key.';
    const { title, body } = refundNotice({ kind: 'refused', code, title: 'It was refused', action });
    expect(title).toBe('It was refused.');
    expect(body).toMatch(/^Nothing was refunded\. \w/);
    expect(body).not.toContain(action);
    expect(body, 'the text for codes without one').not.toMatch(/Reload/);
  },
);

test.each([
  ['usd', 900, '0.01', '9.00'],
  ['jpy', 1_250, '1', '1250'],
  ['kwd', 1_250_000, '0.010', '1250.000'],
] as const)(
  'the advice for an amount in %s names amounts that can be entered',
  (currency, amountMinor, from, to) => {
    expect(amountAdvice({ amountMinor, currency })).toBe(
      `Enter an amount from ${from} to ${to}, without a separator of thousands.`,
    );
    for (const typed of [from, to]) expect(readAmount(typed, currency)).toBeGreaterThan(0);
  },
);

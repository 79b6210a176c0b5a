import { expect, test } from 'vitest';
import { readPaymentFilter, writePaymentFilter } from './payment-filter.ts';

test('what is written is read again', () => {
  const query =
    'q=ACME-1&outcome=refunded&from=2026-11-01&to=2026-11-17&currency=eur&min=1.00&max=20.00&last4=4242';
  expect(writePaymentFilter(readPaymentFilter(Object.fromEntries(new URLSearchParams(query))))).toBe(query);
});

test('an amount without a currency takes the shop’s, and is never dropped', () => {
  expect(readPaymentFilter({ min: '12.50' }, 'eur')).toMatchObject({ currency: 'eur', minMinor: 1250 });
  expect(readPaymentFilter({ max: '500', currency: 'jpy' }, 'eur')).toMatchObject({
    currency: 'jpy',
    maxMinor: 500,
  });
  expect(readPaymentFilter({}, 'eur').currency).toBeUndefined();
});

test('parameters that are not valid are ignored', () => {
  const filter = readPaymentFilter(
    { outcome: 'lost', from: 'yesterday', last4: '42', currency: 'xxx' },
    'eur',
  );
  expect(writePaymentFilter(filter)).toBe('');
});

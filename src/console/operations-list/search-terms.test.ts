import { expect, test } from 'vitest';
import { readSearch } from './search-terms.ts';

const id = '0b6f1c9e-8f8e-4c53-9d0a-2f8f1f0f6a11';

test('an id of the provider is searched as that only', () => {
  expect(readSearch('pi_3Nabc')).toEqual({ intentId: 'pi_3Nabc' });
  expect(readSearch('ch_3Nabc')).toEqual({ chargeId: 'ch_3Nabc' });
  expect(readSearch('re_3Nabc')).toEqual({ refundId: 're_3Nabc' });
});

test('a UUID may be an operation, a payment or a key', () => {
  expect(readSearch(id.toUpperCase())).toMatchObject({ uuid: id, key: id.toUpperCase() });
});

test('an order number is found in lower case, and a key in the quotes of its header', () => {
  expect(readSearch(' acme-7k2m ')).toMatchObject({ references: ['acme-7k2m', 'ACME-7K2M'] });
  expect(readSearch('"my-very-own-key-1"')).toMatchObject({ key: 'my-very-own-key-1' });
});

test('the text that the pay page asks shoppers to quote finds their order', () => {
  expect(readSearch('ACME-7K2M · 01ff8774').references).toEqual(['ACME-7K2M']);
});

test('a text that is too short for a key is searched among the references only', () => {
  expect(readSearch('ACME')).toEqual({ references: ['ACME'] });
  expect(readSearch('  ')).toEqual({});
});

test('e-mail addresses are compared in lower case', () => {
  expect(readSearch('Jo@Example.com')).toMatchObject({ email: 'jo@example.com' });
});

import { expect, test } from 'vitest';
import { sha256OfCanonicalJson } from './fingerprint.ts';

const of = (input: unknown, operation = 'payment.create', apiVersion = '1') =>
  sha256OfCanonicalJson({ operation, apiVersion, input });

test('field order does not make another command', () => {
  expect(of({ a: 1, b: [1, { c: 2, d: 3 }] })).toBe(of({ b: [1, { d: 3, c: 2 }], a: 1 }));
});

test('10.0 and 10 are the same number', () => {
  expect(of(JSON.parse('{"amount":10.0}'))).toBe(of({ amount: 10 }));
});

test.each([
  ['another amount', of({ amount: 9000 })],
  ['another order of list elements', of({ amount: [1000] })],
  ['another operation', of({ amount: 1000 }, 'refund.create')],
  ['another API version', of({ amount: 1000 }, 'payment.create', '2')],
])('%s is another command', (_, other) => {
  expect(other).not.toBe(of({ amount: 1000 }));
});

import { expect, test } from 'vitest';
import { differingFields, fieldDigestsOf } from './field-digests.ts';

const scope = { tenantId: 'acme', operation: 'pay', key: 'a-key-of-this-attempt' };
const digests = (input: unknown, over: Partial<typeof scope> = {}) =>
  fieldDigestsOf({ ...scope, ...over }, { operation: 'pay', apiVersion: '1', input });

test('names the fields that differ, are missing, or are new, and no others', () => {
  const stored = digests({ amount: 1000, card: { id: 'pm_1', kind: 'visa' }, note: 'x' });
  const sent = digests({ amount: 9000, card: { kind: 'visa', id: 'pm_2' }, lines: [1] });
  expect(differingFields(stored, sent)).toEqual(['amount', 'card.id', 'lines', 'note']);
});

test('field order, 10.0 and an undefined field make no difference', () => {
  expect(differingFields(digests({ a: 10, b: 1 }), digests({ b: 1, a: 10.0, c: undefined }))).toEqual([]);
});

test('another API version is reported as "(API version)"', () => {
  const later = fieldDigestsOf(scope, { operation: 'pay', apiVersion: '2', input: { a: 1 } });
  expect(differingFields(digests({ a: 1 }), later)).toEqual(['(API version)']);
});

test('a value cannot be read from its digest: the same value under another key has another digest', () => {
  const one = digests({ amount: 1000 });
  expect(JSON.stringify(one)).not.toContain('1000');
  expect(one.amount).not.toBe(digests({ amount: 1000 }, { key: 'another-key-altogether' }).amount);
  expect(one.amount).not.toBe(digests({ other: 1000 }).other);
});

test('an input of any size makes a row of bounded size', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, n]));
  expect(Object.keys(digests(many)).length).toBeLessThan(70);
  expect(differingFields(digests(many), digests({ ...many, f999: 'other' }))).toEqual(['…']);
});

test('for a record without digests the differing fields are undefined', () => {
  expect(differingFields(undefined, digests({ a: 1 }))).toBeUndefined();
});

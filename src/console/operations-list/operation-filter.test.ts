import fc from 'fast-check';
import { expect, test } from 'vitest';
import { statuses } from '#idempotency/index.ts';
import { operationNames } from '#payments/operations/copy.ts';
import { instantOf, readCursor, writeCursor } from '../paging/cursor.ts';
import {
  filterStatuses,
  outcomes,
  readAmount,
  readFilter,
  readSpan,
  sorts,
  writeFilter,
} from './operation-filter.ts';

const params = (address: string) => Object.fromEntries(new URLSearchParams(address));

test('the statuses to filter by are those of the engine', () => {
  expect(filterStatuses.toSorted()).toEqual([...statuses].toSorted());
});

test('invalid values in the URL are ignored', () => {
  expect(readFilter({ status: 'maybe', kind: 'x', older: '5 parsecs', min: '1e9', sort: '; DROP' })).toEqual({
    ...readFilter({}),
  });
  expect(readFilter({ key: 'short' }).key).toBeUndefined();
  expect(readFilter({ q: '\0\0' }).search).toBeUndefined();
  expect(readFilter({ q: ['first', 'second'] }).search).toBe('first');
});

test('reading any URL does not throw, and a filter that is written and read again stays the same', () => {
  const names = [
    'status',
    'kind',
    'outcome',
    'older',
    'currency',
    'min',
    'max',
    'q',
    'key',
    'sort',
    'escalated',
  ];
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom(...operationNames, ...outcomes, ...sorts, 'eur', '12.50', '7d', '1', 'unknown'),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), values), (given) => {
      const once = readFilter(given);
      expect(readFilter(params(writeFilter(once)))).toEqual(once);
    }),
  );
});

test('amounts are decimals of their currency', () => {
  expect(readFilter({ currency: 'eur', min: '12.5', max: '100' })).toMatchObject({
    minMinor: 1250,
    maxMinor: 10_000,
  });
  expect(readFilter({ currency: 'jpy', min: '12' })).toMatchObject({ minMinor: 12 });
  expect(readFilter({ currency: 'eur', min: '50', max: '10' })).toMatchObject({
    minMinor: 1000,
    maxMinor: 5000,
  });
  expect(readFilter({ min: '12.50' }).minMinor).toBeUndefined();
  expect(writeFilter(readFilter({ currency: 'kwd', min: '1.5' }))).toBe('currency=kwd&min=1.500');
});

test.each([
  ['1,250', 'usd', undefined],
  ['1.250', 'usd', undefined],
  ['12.345', 'eur', undefined],
  ['1,000', 'jpy', undefined],
  ['1,250', 'kwd', undefined],
  ['1.250', 'kwd', 1250],
  ['1,25', 'kwd', 1250],
  ['12,5', 'eur', 1250],
  ['12', 'jpy', 12],
] as const)('%s %s is not read as a thousandth of what was meant', (typed, currency, amountMinor) => {
  expect(readAmount(typed, currency)).toBe(amountMinor);
});

test('a filter by the operators’ queue, or an order by time unknown, implies the status unknown', () => {
  expect(readFilter({ escalated: '1', status: 'completed' }).status).toBe('unknown');
  expect(readFilter({ sort: 'unknown' }).status).toBe('unknown');
});

test('spans are minutes, hours and days', () => {
  expect(['90m', '24h', '7d', '0m', '99999999d', ''].map((each) => readSpan(each))).toEqual([
    90,
    1440,
    10_080,
    undefined,
    undefined,
    undefined,
  ]);
});

test('a cursor is read as it was written, to the microsecond; a forged one gives the first page', () => {
  const cursor = { value: 1_794_812_345_123_456, id: '0b6f1c9e-8f8e-4c53-9d0a-2f8f1f0f6a11' };
  expect(readCursor(writeCursor(cursor))).toEqual(cursor);
  expect(instantOf(cursor.value)).toMatch(/\.123456Z$/);
  for (const forged of ['', 'zzzzzzzzzzz_0', `${'z'.repeat(11)}_${'0'.repeat(32)}`, '1_xyz', "1_'; --"]) {
    expect(readCursor(forged)).toBeUndefined();
  }
});

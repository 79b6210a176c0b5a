import { expect, test } from 'vitest';
import { canBuildBeside, chooseParts } from './choose.ts';

const files = ['src/payments/money.test.ts', 'src/payments/pay.db.test.ts', 'e2e/checkout/pay.spec.ts'];

test('without an argument, every part runs whole', () => {
  expect(chooseParts([], files).map(({ part }) => part)).toEqual([
    'lint',
    'types',
    'unit',
    'db',
    'system',
    'browser',
  ]);
});

test('the name of a part runs that part whole', () => {
  expect(chooseParts(['types'], files)).toEqual([{ part: 'types', filter: {} }]);
});

test('part of a path runs the files that contain it, in every part that has some', () => {
  expect(chooseParts(['money'], files)).toEqual([{ part: 'unit', filter: { files: 'money' } }]);
  expect(chooseParts(['pay.'], files)).toEqual([
    { part: 'db', filter: { files: 'pay.' } },
    { part: 'browser', filter: { files: 'pay.' } },
  ]);
});

test('an option, of which there is none but --help, is refused in a sentence and not passed on', () => {
  expect(() => chooseParts(['unit', '--watch'], [])).toThrow('"--watch" is not an option');
});

test('the build runs beside the part with databases if a later part needs it, and beside no other', () => {
  expect(canBuildBeside('db', ['system', 'browser'])).toBe(true);
  expect(canBuildBeside('db', ['browser'])).toBe(true);
  expect(canBuildBeside('db', [])).toBe(false);
  expect(canBuildBeside('types', ['unit', 'db', 'system', 'browser'])).toBe(false);
});

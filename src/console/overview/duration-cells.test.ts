import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellOf, percentileOf } from './duration-cells.ts';

test('a percentile estimated from the cells is within half of the exact one', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 150, max: 400_000_000 }), { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95),
      (durations, share) => {
        const cells = [...Map.groupBy(durations, cellOf)].map(([leMs, all]) => ({ leMs, count: all.length }));
        const estimate = percentileOf(cells, share) ?? 0;
        const ordered = durations.toSorted((one, other) => one - other);
        const exact = ordered[Math.ceil(share * ordered.length) - 1] ?? 0;
        expect(estimate).toBeGreaterThanOrEqual(exact / 1.51);
        expect(estimate).toBeLessThanOrEqual(exact * 1.51);
      },
    ),
  );
});

test('without durations there is no percentile', () => {
  expect(percentileOf([], 0.5)).toBeUndefined();
});

test('every cell fits an integer column', () => {
  expect(cellOf(Number.MAX_SAFE_INTEGER)).toBeLessThan(2 ** 31);
  expect(cellOf(0)).toBe(100);
});

import { expect, test } from 'vitest';
import { formatAge, formatCountdown, formatDuration } from './format-duration.ts';

test.each([
  [-5, '0 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [3_599_999, '59 min'],
  [7_200_000, '2 h'],
  [90_000_000, '1 d'],
])('an age of %d ms is %s', (ms, text) => expect(formatAge(ms)).toBe(text));

test.each([
  [240, '240 ms'],
  [1_500, '1.5 s'],
  [12_300, '12 s'],
  [90_000, '1.5 min'],
  [7_200_000, '2 h'],
])('%d ms took %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [1, '1 s'],
  [59_001, '1 min 0 s'],
  [61_000, '1 min 1 s'],
  [3_660_000, '1 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('with %d ms left it says %s', (ms, text) => expect(formatCountdown(ms)).toBe(text));

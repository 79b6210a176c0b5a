import { expect, test } from 'vitest';
import { countScale, durationScale, timeTicks } from './scale.ts';

const labels = (ticks: readonly { label: string }[]) => ticks.map(({ label }) => label);

test('counts have ticks at round whole numbers, up to at least the largest value', () => {
  expect(labels(countScale(0).ticks)).toEqual(['0', '1']);
  expect(labels(countScale(3).ticks)).toEqual(['0', '1', '2', '3']);
  expect(labels(countScale(37).ticks)).toEqual(['0', '10', '20', '30', '40']);
  expect(labels(countScale(4_200).ticks)).toEqual(['0', '2,000', '4,000', '6,000']);
  expect(countScale(37).position(40)).toBe(1);
});

test('durations from seconds to hours share one logarithmic scale', () => {
  const { ticks, position } = durationScale(2_500, 4 * 3_600_000);
  expect(labels(ticks)).toEqual([
    '1 s',
    '3 s',
    '10 s',
    '30 s',
    '1 min',
    '3 min',
    '10 min',
    '30 min',
    '1 h',
    '3 h',
    '12 h',
  ]);
  expect(position(1_000)).toBe(0);
  expect(position(12 * 3_600_000)).toBe(1);
  expect(durationScale(1_000, 1_000).ticks.length).toBeGreaterThan(1);
});

test('time ticks are at round hours and days of the zone, also of a zone with a half-hour offset', () => {
  const from = Date.parse('2026-11-15T10:10:00Z');
  const day = 86_400_000;
  expect(labels(timeTicks(from, from + day, 'UTC'))).toEqual(['12:00', '18:00', '00:00', '06:00']);
  const [first] = timeTicks(from, from + day, 'Asia/Kolkata');
  expect(first).toEqual({ at: (2 * 60 + 20) / (24 * 60), label: '18:00' });
  expect(labels(timeTicks(from, from + 3_600_000, 'UTC'))).toEqual(['10:15', '10:30', '10:45', '11:00']);
  expect(labels(timeTicks(from, from + 7 * day, 'UTC'))).toHaveLength(7);
});

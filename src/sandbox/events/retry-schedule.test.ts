import { expect, test } from 'vitest';
import { nextAttemptMs } from './retry-schedule.ts';

const HOUR_MS = 3_600_000;

test('the first retries come within seconds, and every later one waits longer, up to twelve hours', () => {
  const delays = Array.from({ length: 14 }, (_, index) => nextAttemptMs(index + 1, 0, 0) ?? 0);
  expect(delays.slice(0, 4)).toEqual([1_000, 3_000, 9_000, 27_000]);
  expect(delays).toEqual([...delays].sort((left, right) => left - right));
  expect(Math.max(...delays)).toBe(12 * HOUR_MS);
});

test('retries go on for three days and then stop', () => {
  let nowMs = 0;
  let attempts = 0;
  for (let due: number | null = 0; due !== null; due = nextAttemptMs(attempts, 0, nowMs)) {
    nowMs = due;
    attempts += 1;
    if (attempts > 1_000) throw new Error('the retries never stop');
  }
  expect(nowMs).toBeGreaterThan(60 * HOUR_MS);
  expect(nowMs).toBeLessThanOrEqual(72 * HOUR_MS);
});

import { expect, test } from 'vitest';
import { nextDelayMs } from './back-off.ts';

test('the wait before a restart doubles from half a second up to fifteen', () => {
  const delays: number[] = [];
  for (let i = 0; i < 8; i++) delays.push(nextDelayMs(delays.at(-1), 10));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
});

test('a process that was healthy for a minute starts again from half a second', () => {
  expect(nextDelayMs(15_000, 59_999)).toBe(15_000);
  expect(nextDelayMs(15_000, 60_000)).toBe(500);
});

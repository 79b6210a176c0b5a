import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inTime } from './in-time.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a request without a response rejects after half a minute, and is ended', async () => {
  let signal: AbortSignal | undefined;
  const rejected = expect(
    inTime((given) => {
      signal = given;
      return new Promise(() => undefined);
    }),
  ).rejects.toThrow('There was no response in 30 s.');
  await vi.advanceTimersByTimeAsync(29_999);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await rejected;
  expect(signal?.aborted).toBe(true);
});

test('a response in time, or a failure, is passed on, and no timer is left', async () => {
  await expect(inTime(async () => 'paid')).resolves.toBe('paid');
  await expect(inTime(() => Promise.reject(new Error('reset')))).rejects.toThrow('reset');
  expect(vi.getTimerCount()).toBe(0);
});

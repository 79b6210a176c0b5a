import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startWorkLoop } from './work-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('goes on at once while there is work, and rests when there is none', async () => {
  const left = [3, 1, 0, 2, 0];
  const work = vi.fn(async () => left.shift() ?? 0);
  const loop = startWorkLoop({ work, restMs: 500, onError: () => undefined });
  await vi.advanceTimersByTimeAsync(499);
  expect(work).toHaveBeenCalledTimes(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(5);
  await loop.stop();
});

test('a round that fails is reported, and the next one comes after a rest', async () => {
  const errors: unknown[] = [];
  const broken = new Error('the database is away');
  const work = vi.fn(async () => 0).mockRejectedValueOnce(broken);
  const loop = startWorkLoop({ work, restMs: 500, onError: (error) => errors.push(error) });
  await vi.advanceTimersByTimeAsync(500);
  expect(work).toHaveBeenCalledTimes(2);
  expect(errors).toEqual([broken]);
  await loop.stop();
});

test('stops without waiting for the end of a rest, but waits for the round under way', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const work = vi.fn(() => promise);
  const loop = startWorkLoop({ work, restMs: 3_600_000, onError: () => undefined });
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stopped).toBe(false);
  resolve(1);
  await stopping;
  expect(work).toHaveBeenCalledTimes(1);

  const resting = startWorkLoop({ work: async () => 0, restMs: 3_600_000, onError: () => undefined });
  await vi.advanceTimersByTimeAsync(1_000);
  await resting.stop();
});

test('waits after a wake-up for more work to gather, and stops without waiting for it', async () => {
  const work = vi.fn(async () => 0);
  const loop = startWorkLoop({ work, restMs: 3_600_000, gatherMs: 100, onError: () => undefined });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(1);
  loop.wake();
  await vi.advanceTimersByTimeAsync(60);
  loop.wake();
  await vi.advanceTimersByTimeAsync(39);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(2);
  loop.wake();
  await loop.stop();
  expect(work).toHaveBeenCalledTimes(2);
});

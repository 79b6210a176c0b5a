import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverAnswers, untilServerAnswers } from './server-responds.ts';

const asked = vi.fn<typeof fetch>();
const well = () => Promise.resolve(new Response());
const mute: typeof fetch = (_url, init) => {
  const { promise, reject } = Promise.withResolvers<Response>();
  init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
  return promise;
};
const gone = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', asked);
});
afterEach(() => {
  asked.mockReset();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a server that is there costs one question and no pause', async () => {
  asked.mockImplementation(well);
  const silent = vi.fn();
  expect(await untilServerAnswers(new AbortController().signal, silent)).toBe(true);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(silent).not.toHaveBeenCalled();
});

it('one that is away is asked again until it answers; a proxy’s 502 is no answer', async () => {
  asked.mockImplementationOnce(gone);
  asked.mockImplementationOnce(() => Promise.resolve(new Response(null, { status: 502 })));
  asked.mockImplementation(well);
  const silent = vi.fn();
  const answered = untilServerAnswers(new AbortController().signal, silent);
  await vi.advanceTimersByTimeAsync(0);
  expect([asked.mock.calls.length, silent.mock.calls.length]).toEqual([1, 1]);
  await vi.runAllTimersAsync();
  expect(await answered).toBe(true);
  expect([asked.mock.calls.length, silent.mock.calls.length]).toEqual([3, 2]);
});

it('the pauses grow to five seconds and no further', async () => {
  asked.mockImplementation(gone);
  const over = new AbortController();
  void untilServerAnswers(over.signal, () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  const early = asked.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  const perMinute = asked.mock.calls.length - early;
  expect(perMinute).toBeGreaterThanOrEqual(12);
  expect(perMinute).toBeLessThanOrEqual(24);
  over.abort();
});

it('whoever is gone has their question withdrawn, and asks no other', async () => {
  asked.mockImplementation(mute);
  const over = new AbortController();
  const silent = vi.fn();
  const answered = untilServerAnswers(over.signal, silent);
  over.abort();
  expect(await answered).toBe(false);
  await vi.runAllTimersAsync();
  expect([asked.mock.calls.length, silent.mock.calls.length]).toEqual([1, 0]);
});

it('a server that takes a question and says nothing is not waited for for ever', async () => {
  asked.mockImplementation(mute);
  const answers = serverAnswers(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await answers).toBe(false);
});

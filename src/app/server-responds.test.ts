import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverResponds, untilServerResponds } from './server-responds.ts';

const probed = vi.fn<typeof fetch>();
const healthy = () => Promise.resolve(new Response());
const unresponsive: typeof fetch = (_url, init) => {
  const { promise, reject } = Promise.withResolvers<Response>();
  init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
  return promise;
};
const down = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', probed);
});
afterEach(() => {
  probed.mockReset();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a server that responds costs one probe and no pause', async () => {
  probed.mockImplementation(healthy);
  const onDown = vi.fn();
  expect(await untilServerResponds(new AbortController().signal, onDown)).toBe(true);
  expect(probed).toHaveBeenCalledTimes(1);
  expect(onDown).not.toHaveBeenCalled();
});

it('a server that is down is probed until it responds; a proxy’s 502 is no response', async () => {
  probed.mockImplementationOnce(down);
  probed.mockImplementationOnce(() => Promise.resolve(new Response(null, { status: 502 })));
  probed.mockImplementation(healthy);
  const onDown = vi.fn();
  const responded = untilServerResponds(new AbortController().signal, onDown);
  await vi.advanceTimersByTimeAsync(0);
  expect([probed.mock.calls.length, onDown.mock.calls.length]).toEqual([1, 1]);
  await vi.runAllTimersAsync();
  expect(await responded).toBe(true);
  expect([probed.mock.calls.length, onDown.mock.calls.length]).toEqual([3, 2]);
});

it('the pauses grow to five seconds and no further', async () => {
  probed.mockImplementation(down);
  const over = new AbortController();
  void untilServerResponds(over.signal, () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  const early = probed.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  const perMinute = probed.mock.calls.length - early;
  expect(perMinute).toBeGreaterThanOrEqual(12);
  expect(perMinute).toBeLessThanOrEqual(24);
  over.abort();
});

it('an abort cancels the probe, and no other follows', async () => {
  probed.mockImplementation(unresponsive);
  const over = new AbortController();
  const onDown = vi.fn();
  const responded = untilServerResponds(over.signal, onDown);
  over.abort();
  expect(await responded).toBe(false);
  await vi.runAllTimersAsync();
  expect([probed.mock.calls.length, onDown.mock.calls.length]).toEqual([1, 0]);
});

it('a probe without a response times out', async () => {
  probed.mockImplementation(unresponsive);
  const responds = serverResponds(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await responds).toBe(false);
});

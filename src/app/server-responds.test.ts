import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverResponds, untilServerResponds } from './server-responds.ts';

const probe = vi.fn<typeof fetch>();
const healthy = () => Promise.resolve(new Response());
const unresponsive: typeof fetch = (_url, init) => {
  const { promise, reject } = Promise.withResolvers<Response>();
  init?.signal?.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
  return promise;
};
const down = () => Promise.reject(new TypeError('Failed to fetch'));

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', probe);
});
afterEach(() => {
  probe.mockReset();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a server that responds is probed once, without a pause', async () => {
  probe.mockImplementation(healthy);
  const onDown = vi.fn();
  expect(await untilServerResponds(new AbortController().signal, onDown)).toBe(true);
  expect(probe).toHaveBeenCalledTimes(1);
  expect(onDown).not.toHaveBeenCalled();
});

it('a server that is down is probed until it responds; a proxy’s 502 is no response', async () => {
  probe.mockImplementationOnce(down);
  probe.mockImplementationOnce(() => Promise.resolve(new Response(null, { status: 502 })));
  probe.mockImplementation(healthy);
  const onDown = vi.fn();
  const responded = untilServerResponds(new AbortController().signal, onDown);
  await vi.advanceTimersByTimeAsync(0);
  expect([probe.mock.calls.length, onDown.mock.calls.length]).toEqual([1, 1]);
  await vi.runAllTimersAsync();
  expect(await responded).toBe(true);
  expect([probe.mock.calls.length, onDown.mock.calls.length]).toEqual([3, 2]);
});

it('the pauses grow to five seconds at most', async () => {
  probe.mockImplementation(down);
  const controller = new AbortController();
  void untilServerResponds(controller.signal, () => undefined);
  await vi.advanceTimersByTimeAsync(60_000);
  const early = probe.mock.calls.length;
  await vi.advanceTimersByTimeAsync(60_000);
  const perMinute = probe.mock.calls.length - early;
  expect(perMinute).toBeGreaterThanOrEqual(12);
  expect(perMinute).toBeLessThanOrEqual(24);
  controller.abort();
});

it('an abort cancels the probe, and no further probe follows', async () => {
  probe.mockImplementation(unresponsive);
  const controller = new AbortController();
  const onDown = vi.fn();
  const responded = untilServerResponds(controller.signal, onDown);
  controller.abort();
  expect(await responded).toBe(false);
  await vi.runAllTimersAsync();
  expect([probe.mock.calls.length, onDown.mock.calls.length]).toEqual([1, 0]);
});

it('a probe without a response times out', async () => {
  probe.mockImplementation(unresponsive);
  const responds = serverResponds(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await responds).toBe(false);
});

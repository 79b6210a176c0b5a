import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLeaseLocks } from './lease-locks.ts';

let stored: Map<string, string>;
let owners = 0;
let isFull: boolean;

beforeEach(() => {
  vi.useFakeTimers();
  stored = new Map();
  isFull = false;
});
afterEach(() => vi.useRealTimers());

/** A tab; the pauses of a dead one never end. */
function openTab() {
  const tab = { dead: false };
  const locks = createLeaseLocks({
    storage: {
      getItem: (name) => stored.get(name) ?? null,
      setItem(name, value) {
        if (isFull) throw new Error('There is no room.');
        stored.set(name, value);
      },
      removeItem: (name) => void stored.delete(name),
    },
    now: Date.now,
    pause: (ms) =>
      new Promise((resolve) => {
        setTimeout(() => !tab.dead && resolve(), ms);
      }),
    mintOwner: () => `owner ${++owners}`,
  });
  return { tab, locks };
}

const never = () => new Promise<void>(() => undefined);
const notAborted = new AbortController().signal;

test('of two tabs that try at the same time one gets the lock, and the other finds it held', async () => {
  const [one, other] = [openTab(), openTab()];
  const ran: string[] = [];
  const first = one.locks.tryHold('order', async () => void ran.push('one'));
  const second = other.locks.tryHold('order', async () => void ran.push('other'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await first, await second].filter(Boolean)).toHaveLength(1);
  expect(ran).toHaveLength(1);
});

test('a waiting tab gets the lock when the work has ended, and not before', async () => {
  const [one, other] = [openTab(), openTab()];
  let finish: (() => void) | undefined;
  const work = new Promise<void>((resolve) => {
    finish = resolve;
  });
  void one.locks.tryHold('order', () => work);
  await vi.advanceTimersByTimeAsync(100);
  const entered = vi.fn(async () => undefined);
  void other.locks.hold('order', notAborted, entered);
  // Longer than a lease, which is renewed.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(entered).not.toHaveBeenCalled();
  finish?.();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(entered).toHaveBeenCalledOnce();
});

test('the lock of a killed tab is taken over within seconds', async () => {
  const [one, other] = [openTab(), openTab()];
  void one.locks.tryHold('order', never);
  await vi.advanceTimersByTimeAsync(3_000);
  one.tab.dead = true;
  const entered = vi.fn(async () => undefined);
  void other.locks.hold('order', notAborted, entered);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(entered).toHaveBeenCalledOnce();
});

test('the lock of a killed tab is taken over within seconds also if the clock was set back meanwhile', async () => {
  const [one, other] = [openTab(), openTab()];
  void one.locks.tryHold('order', never);
  await vi.advanceTimersByTimeAsync(3_000);
  one.tab.dead = true;
  vi.setSystemTime(Date.now() - 86_400_000);
  const entered = vi.fn(async () => undefined);
  void other.locks.hold('order', notAborted, entered);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(entered).toHaveBeenCalledOnce();
});

test('a tab that slept past its lease stops, and does not take the lock from its new holder', async () => {
  const [sleeper, other] = [openTab(), openTab()];
  const onLost = vi.fn();
  void sleeper.locks.tryHold('order', (lost) => {
    lost.addEventListener('abort', onLost);
    return never();
  });
  await vi.advanceTimersByTimeAsync(100);
  // The lease has expired, because its renewals came too late.
  stored.clear();
  void other.locks.tryHold('order', never);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(onLost).toHaveBeenCalledOnce();
  const held = JSON.parse([...stored.values()][0] ?? '{}') as { owner: string };
  expect(held.owner).toBe(`owner ${owners}`);
});

test('a tab that stops waiting never gets the lock', async () => {
  const [one, other] = [openTab(), openTab()];
  void one.locks.tryHold('order', never);
  await vi.advanceTimersByTimeAsync(100);
  const disposal = new AbortController();
  const waiting = other.locks.hold('order', disposal.signal, never);
  const rejected = expect(waiting).rejects.toThrow();
  disposal.abort();
  await vi.advanceTimersByTimeAsync(1_000);
  await rejected;
});

test('a tab gets the lock also where storage has no room for a lease: it would otherwise never send', async () => {
  isFull = true;
  const { locks } = openTab();
  let finish = () => {};
  const work = vi.fn(() => new Promise<void>((resolve) => (finish = resolve)));
  const held = locks.tryHold('order', work);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledOnce();
  // Its own next call waits for it.
  expect(await Promise.race([locks.tryHold('order', work), vi.advanceTimersByTimeAsync(100)])).toBe(false);
  finish();
  expect(await held).toBe(true);
  void locks.hold('order', notAborted, work);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test('a lease that another tab stored before there was no room is waited for', async () => {
  const [one, other] = [openTab(), openTab()];
  void one.locks.tryHold('order', never);
  await vi.advanceTimersByTimeAsync(100);
  isFull = true;
  const entered = vi.fn(async () => undefined);
  void other.locks.hold('order', notAborted, entered);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(entered).not.toHaveBeenCalled();
});

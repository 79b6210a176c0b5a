import { beforeEach, expect, test, vi } from 'vitest';
import { createCachedReads } from './cached-reads.ts';
import type { Subscriber } from './postgres-listener.ts';

let now = 0;
let isConnected = true;
let subscriber: Subscriber | undefined;
const read = vi.fn<(key: string) => Promise<string | undefined>>();

const listener = {
  subscribe(given: Subscriber) {
    subscriber = given;
    return () => true;
  },
  get isConnected() {
    return isConnected;
  },
};

function openReads() {
  return createCachedReads({ read, listener, topic: 'keys', cacheMs: 5_000, now: () => now });
}

beforeEach(() => {
  now = 0;
  isConnected = true;
  read.mockReset().mockImplementation(async (key) => `value of ${key}`);
});

test('a value is read once in its time, also by callers that come while it is being read', async () => {
  const find = openReads();
  expect(await Promise.all([find('a'), find('a')])).toEqual(['value of a', 'value of a']);
  now = 4_999;
  await find('a');
  expect(read).toHaveBeenCalledTimes(1);
  now = 5_000;
  await find('a');
  expect(read).toHaveBeenCalledTimes(2);
});

test('where the topic has the key, a change of one value drops that value only', async () => {
  const find = createCachedReads({ read, listener, topic: 'keys:', cacheMs: 5_000, now: () => now });
  await Promise.all([find('a'), find('b:c')]);
  subscriber?.onNotified('keys:b:c');
  subscriber?.onNotified('keys');
  await Promise.all([find('a'), find('b:c')]);
  expect(read.mock.calls).toEqual([['a'], ['b:c'], ['b:c']]);
});

test('a notified change is heard at once, one of another topic is not', async () => {
  const find = openReads();
  await find('a');
  subscriber?.onNotified('other');
  await find('a');
  expect(read).toHaveBeenCalledTimes(1);
  subscriber?.onNotified('keys');
  read.mockResolvedValue('new');
  expect(await find('a')).toBe('new');
});

test('a value that was being read when it changed is not kept', async () => {
  const find = openReads();
  const { promise, resolve } = Promise.withResolvers<string>();
  read.mockReturnValueOnce(promise).mockResolvedValueOnce('new');
  const before = find('a');
  subscriber?.onNotified('keys');
  resolve('old');
  expect(await before).toBe('old');
  expect(await find('a')).toBe('new');
});

test('nothing is kept while notifications may be missed', async () => {
  const find = openReads();
  await find('a');
  isConnected = false;
  subscriber?.onMissed();
  await find('a');
  await find('a');
  expect(read).toHaveBeenCalledTimes(3);
});

test('neither a failure nor the absence of a value is kept', async () => {
  const find = openReads();
  read.mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce(undefined);
  await expect(find('a')).rejects.toThrow('away');
  expect(await find('a')).toBeUndefined();
  expect(await find('a')).toBe('value of a');
});

test('its memory is bounded', async () => {
  const find = openReads();
  for (let key = 0; key <= 10_000; key++) await find(String(key));
  await find('10000');
  expect(read).toHaveBeenCalledTimes(10_001);
  await find('0');
  expect(read).toHaveBeenCalledTimes(10_002);
});

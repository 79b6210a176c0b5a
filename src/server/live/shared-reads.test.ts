import { expect, test } from 'vitest';
import { createSharedReads } from './shared-reads.ts';

/** Reads that end on demand, in the order in which they began. */
function openReads() {
  const shared = createSharedReads();
  const begun: PromiseWithResolvers<string>[] = [];
  const read = (key = 'order') =>
    shared.read(key, () => {
      const one = Promise.withResolvers<string>();
      begun.push(one);
      return one.promise;
    });
  return { begun, read };
}

test('readers that come while a read is under way share the next one, which begins after it', async () => {
  const { begun, read } = openReads();
  const first = read();
  const others = [read(), read(), read()];
  expect(begun).toHaveLength(1);
  begun[0]?.resolve('before the change');
  expect(await first).toBe('before the change');
  await expect.poll(() => begun.length).toBe(2);
  const later = read();
  begun[1]?.resolve('after it');
  expect(await Promise.all(others)).toEqual(Array(3).fill('after it'));
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.resolve('later');
  expect(await later).toBe('later');
});

test('a read that fails fails for those that share it, and the next one is made', async () => {
  const { begun, read } = openReads();
  const [first, second] = [read(), read()];
  begun[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await expect.poll(() => begun.length).toBe(2);
  begun[1]?.resolve('back');
  expect(await second).toBe('back');
});

test('what one key reads is not for another, and nothing is kept', async () => {
  const { begun, read } = openReads();
  const both = [read('a'), read('b')];
  begun[0]?.resolve('of a');
  begun[1]?.resolve('of b');
  expect(await Promise.all(both)).toEqual(['of a', 'of b']);
  const again = read('a');
  expect(begun).toHaveLength(3);
  begun[2]?.resolve('of a, again');
  expect(await again).toBe('of a, again');
});

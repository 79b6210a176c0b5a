import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('work that hangs holds up no other: what becomes due meanwhile begins in the other slots', async () => {
  const slots = createSlots(3);
  const hung = Promise.withResolvers<void>();
  const begun: string[] = [];
  const due = [['hangs', 'a', 'b'], ['c', 'd'], ['e']];
  const begin = async () =>
    (due.shift() ?? []).map(async (name) => {
      begun.push(name);
      if (name === 'hangs') await hung.promise;
    });
  expect([await slots.fill(begin), await slots.fill(begin), await slots.fill(begin)]).toEqual([3, 2, 1]);
  expect(begun).toEqual(['hangs', 'a', 'b', 'c', 'd', 'e']);
  let ended = false;
  const ending = slots.close().then(() => {
    ended = true;
  });
  await new Promise(setImmediate);
  expect(ended).toBe(false);
  hung.resolve();
  await ending;
});

test('no more is begun at the same time than there are slots, a free slot is waited for, and nothing begins after the end', async () => {
  const slots = createSlots(2);
  const running = new Map<number, () => void>();
  let next = 0;
  const asked: number[] = [];
  const begin = async (free: number) => {
    asked.push(free);
    return Array.from({ length: free }, () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      running.set(next++, resolve);
      return promise;
    });
  };
  expect(await slots.fill(begin)).toBe(2);
  const waiting = slots.fill(begin);
  await new Promise(setImmediate);
  expect(asked).toEqual([2]);
  running.get(1)?.();
  expect(await waiting).toBe(1);
  expect(asked).toEqual([2, 1]);
  const tooLate = slots.fill(begin);
  const closing = slots.close();
  for (const end of running.values()) end();
  await closing;
  expect(await tooLate).toBe(0);
  expect(asked).toEqual([2, 1]);
});

test('the end also waits for work that was just being begun', async () => {
  const slots = createSlots(1);
  const taken = Promise.withResolvers<void>();
  const work = Promise.withResolvers<void>();
  const filled = slots.fill(async () => {
    await taken.promise;
    return [work.promise];
  });
  let closed = false;
  const closing = slots.close().then(() => {
    closed = true;
  });
  taken.resolve();
  expect(await filled).toBe(1);
  await new Promise(setImmediate);
  expect(closed).toBe(false);
  work.resolve();
  await closing;
});

import { expect, test } from 'vitest';
import { StoreUnavailable } from '#idempotency/index.ts';
import { createTurns } from './turns.ts';

const limits = { atOnce: 2, waitingOfOne: 3, maxWaitMs: 60_000 };

/** Calls that end on demand, and the order in which they began. */
function openCalls(turns = createTurns(limits)) {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const call = (caller: string, name: string) => {
    const end = Promise.withResolvers<void>();
    ends.set(name, end);
    return turns.run(caller, async () => {
      begun.push(name);
      await end.promise;
      return name;
    });
  };
  return {
    begun,
    call,
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error(name)),
  };
}

test('few calls are under way at a time, and one caller’s many calls do not keep another’s waiting', async () => {
  const { begun, call, end } = openCalls();
  const calls = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => call('a', name));
  const other = call('b', 'b1');
  expect(begun).toEqual(['a1', 'a2']);
  end('a1');
  await calls[0];
  end('a3');
  await calls[2];
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
  for (const name of ['a2', 'b1', 'a4', 'a5']) end(name);
  expect(await Promise.all([...calls, other])).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'b1']);
});

test('where one caller has all that it may, the places that are left are for others', async () => {
  const { begun, call, end } = openCalls(createTurns({ ...limits, atOnce: 3, atOnceOfOne: 2 }));
  const ofOne = ['a1', 'a2', 'a3'].map((name) => call('a', name));
  const others = ['b1', 'b2'].map((name) => call('b', name));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  end('b1');
  await others[0];
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  end('a1');
  await ofOne[0];
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  for (const name of ['a2', 'a3', 'b2']) end(name);
  await Promise.all([...ofOne, ...others]);
});

test('more calls of one caller than may wait are refused, and those of another are not', async () => {
  const { call, end } = openCalls();
  const waiting = ['1', '2', '3', '4', '5'].map((name) => call('a', name));
  await expect(call('a', '6')).rejects.toThrow(StoreUnavailable);
  const other = call('b', '7');
  for (const name of ['1', '2', '3', '4', '5', '7']) end(name);
  expect(await Promise.all([...waiting, other])).toHaveLength(6);
});

test('a call that has waited for too long is refused, and the next one has its turn', async () => {
  const { begun, call, end } = openCalls(createTurns({ ...limits, atOnce: 1, maxWaitMs: 1 }));
  const first = call('a', 'first');
  await expect(call('a', 'late')).rejects.toThrow(StoreUnavailable);
  end('first');
  await first;
  const next = call('a', 'next');
  end('next');
  await next;
  expect(begun).toEqual(['first', 'next']);
});

test('a call that fails gives its place to the next', async () => {
  const { begun, call, end, fail } = openCalls();
  const [one, two, three] = ['1', '2', '3'].map((name) => call('a', name));
  fail('1');
  await expect(one).rejects.toThrow('1');
  expect(begun).toEqual(['1', '2', '3']);
  end('2');
  end('3');
  await Promise.all([two, three]);
});

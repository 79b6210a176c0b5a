import { describe, expect, test, vi } from 'vitest';
import { type BatchOptions, createBatch } from './batch.ts';

interface Item {
  readonly key: string;
  readonly tenant?: string;
}

/** A database whose statements end when the test says so. */
function openBatch(options: Partial<BatchOptions<Item, string>> = {}) {
  const statements: { keys: string[]; commit: () => void; fail: (error: unknown) => void }[] = [];
  const batch = createBatch<Item, string>({
    execute: (items) =>
      new Promise((resolve, reject) => {
        const keys = items.map(({ key }) => key);
        statements.push({ keys, commit: () => resolve(keys.map((key) => `row of ${key}`)), fail: reject });
      }),
    nameOf: ({ tenant, key }) => `${tenant ?? ''}/${key}`,
    tenantOf: ({ tenant }) => tenant ?? '',
    isRowError: (error) => error === rowError,
    overloaded: () => new Error('overloaded'),
    maxStatements: 1,
    ...options,
  });
  const started = (count: number) => vi.waitFor(() => expect(statements).toHaveLength(count));
  return { batch, statements, started };
}

const rowError = new Error('a row was refused');

test('a single caller is a batch of one', async () => {
  const { batch, statements, started } = openBatch();
  const only = batch.run({ key: 'a' });
  await started(1);
  statements[0]?.commit();
  expect(await only).toBe('row of a');
  expect(statements[0]?.keys).toEqual(['a']);
});

test('callers that arrive while a statement is under way share the next one, in the order of their keys', async () => {
  const { batch, statements, started } = openBatch();
  const first = batch.run({ key: 'b' });
  await started(1);
  const later = ['d', 'a', 'c'].map((key) => batch.run({ key }));
  statements[0]?.commit();
  await started(2);
  expect(statements[1]?.keys).toEqual(['a', 'c', 'd']);
  statements[1]?.commit();
  expect(await Promise.all([first, ...later])).toEqual(['row of b', 'row of d', 'row of a', 'row of c']);
});

test('items with equal names never share a statement, nor are under way in two at once', async () => {
  const { batch, statements, started } = openBatch({ maxStatements: 2, slowAfterMs: 1 });
  const [one, other, third] = ['a', 'a', 'b'].map((key) => batch.run({ key }));
  await started(1);
  expect(statements[0]?.keys).toEqual(['a', 'b']);
  statements[0]?.commit();
  await started(2);
  expect(statements[1]?.keys).toEqual(['a']);
  statements[1]?.commit();
  await Promise.all([one, other, third]);
});

describe('equal keys where a result may be shared', () => {
  test('do not get the error of the first one’s row: they go again', async () => {
    const { batch, statements, started } = openBatch({ isShared: () => true });
    const [first, second, third] = ['a', 'a', 'a'].map((key) => batch.run({ key }));
    const refused = expect(first).rejects.toBe(rowError);
    await started(1);
    statements[0]?.fail(rowError);
    await refused;
    await started(2);
    statements[1]?.commit();
    expect(await Promise.all([second, third])).toEqual(['row of a', 'row of a']);
  });

  test('get one row of the statement and the same result', async () => {
    const { batch, statements, started } = openBatch({ isShared: () => true });
    const all = Array.from({ length: 500 }, () => batch.run({ key: 'a' }));
    await started(1);
    expect(statements[0]?.keys).toEqual(['a']);
    statements[0]?.commit();
    expect(new Set(await Promise.all(all))).toEqual(new Set(['row of a']));
    expect(statements).toHaveLength(1);
  });

  test('do not get a result that is the first one’s alone: they go again', async () => {
    const results = ['granted', 'exists'];
    let runs = 0;
    const { batch } = openBatch({
      execute: async (items) => items.map(() => results[runs++] ?? 'exists'),
      isShared: (result) => result === 'exists',
    });
    const all = await Promise.all(['a', 'a', 'a'].map((key) => batch.run({ key })));
    expect(all).toEqual(['granted', 'exists', 'exists']);
    expect(runs).toBe(2);
  });
});

test('while a statement is slow, the others go on in another one', async () => {
  const { batch, statements, started } = openBatch({ maxStatements: 2, slowAfterMs: 1 });
  const slow = batch.run({ key: 'slow' });
  await started(1);
  const quick = batch.run({ key: 'quick' });
  await started(2);
  statements[1]?.commit();
  expect(await quick).toBe('row of quick');
  statements[0]?.commit();
  await slow;
});

test('above the split a statement takes half of what waits, and the rest follows', async () => {
  const { batch, statements, started } = openBatch({ splitAbove: 2 });
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => batch.run({ key }));
  await started(1);
  statements[0]?.commit();
  await started(2);
  statements[1]?.commit();
  await started(3);
  statements[2]?.commit();
  await Promise.all(all);
  expect(statements.map(({ keys }) => keys.length)).toEqual([3, 2, 1]);
});

describe('a statement that fails', () => {
  test('because of a row is divided until only that row’s caller gets the error', async () => {
    const ran: string[][] = [];
    const { batch } = openBatch({
      execute: async (items) => {
        const keys = items.map(({ key }) => key);
        ran.push(keys);
        if (keys.includes('bad')) throw rowError;
        return keys;
      },
    });
    const results = await Promise.allSettled(['a', 'b', 'bad', 'c', 'd'].map((key) => batch.run({ key })));
    expect(results.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([
      'a',
      'b',
      rowError,
      'c',
      'd',
    ]);
    expect(ran.at(0)).toHaveLength(5);
    expect(ran.filter((keys) => keys.includes('bad')).at(-1)).toEqual(['bad']);
  });

  test('because the connection was lost rejects every caller, and nothing is sent again', async () => {
    const lost = new Error('connection lost');
    const { batch, statements, started } = openBatch();
    const all = Promise.allSettled(['a', 'b'].map((key) => batch.run({ key })));
    await started(1);
    statements[0]?.fail(lost);
    expect((await all).map((one) => one.status === 'rejected' && one.reason)).toEqual([lost, lost]);
    expect(statements).toHaveLength(1);
  });
});

test('a busy tenant does not starve the others: a batch takes one from each in turn', async () => {
  const { batch, statements, started } = openBatch({ maxItems: 4 });
  const blocking = batch.run({ key: '0' });
  await started(1);
  const busy = Array.from({ length: 10 }, (_, n) => batch.run({ tenant: 'busy', key: `${n}` }));
  const quiet = batch.run({ tenant: 'quiet', key: 'q' });
  statements[0]?.commit();
  await started(2);
  expect(statements[1]?.keys).toEqual(['0', '1', '2', 'q']);
  for (let n = 1; n < 4; n++) {
    statements[n]?.commit();
    if (n < 3) await started(n + 2);
  }
  await Promise.all([blocking, quiet, ...busy]);
});

describe('waiting is bounded', () => {
  test('in number: one more is rejected at once, and was never sent', async () => {
    const { batch, statements, started } = openBatch({ maxWaiting: 1 });
    const first = batch.run({ key: 'a' });
    await started(1);
    const second = batch.run({ key: 'b' });
    await expect(batch.run({ key: 'c' })).rejects.toThrow('overloaded');
    statements[0]?.commit();
    await started(2);
    statements[1]?.commit();
    await Promise.all([first, second]);
    expect(statements.flatMap(({ keys }) => keys)).toEqual(['a', 'b']);
  });

  test('in time: an item that was not sent within it is rejected, and one that was sent is not', async () => {
    const { batch, statements, started } = openBatch({ maxWaitMs: 40 });
    const sent = batch.run({ key: 'a' });
    await started(1);
    await expect(batch.run({ key: 'b' })).rejects.toThrow('overloaded');
    statements[0]?.commit();
    expect(await sent).toBe('row of a');
    expect(statements).toHaveLength(1);
  });
});

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
    keyOf: ({ tenant, key }) => `${tenant ?? ''}/${key}`,
    tenantOf: ({ tenant }) => tenant ?? '',
    isRowError: (error) => error === rowError,
    overloaded: () => new Error('overloaded'),
    lanes: 1,
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

test('equal keys never share a statement, nor run at the same time in two lanes', async () => {
  const { batch, statements, started } = openBatch({ lanes: 2 });
  const [one, other, third] = ['a', 'a', 'b'].map((key) => batch.run({ key }));
  await started(1);
  expect(statements[0]?.keys).toEqual(['a', 'b']);
  statements[0]?.commit();
  await started(2);
  expect(statements[1]?.keys).toEqual(['a']);
  statements[1]?.commit();
  await Promise.all([one, other, third]);
});

test('a slow statement holds up one lane, and the other goes on', async () => {
  const { batch, statements, started } = openBatch({ lanes: 2 });
  const slow = batch.run({ key: 'slow' });
  await started(1);
  const quick = batch.run({ key: 'quick' });
  await started(2);
  statements[1]?.commit();
  expect(await quick).toBe('row of quick');
  statements[0]?.commit();
  await slow;
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
    const settled = await Promise.allSettled(['a', 'b', 'bad', 'c', 'd'].map((key) => batch.run({ key })));
    expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([
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

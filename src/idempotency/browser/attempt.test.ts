import { describe, expect, test } from 'vitest';
import { type Asked, Attempt, type AttemptParts, type Sent } from './attempt.ts';
import { createAttemptMemory } from './attempt-memory.ts';

type Command = { card: string };

/** A browser that remembers, a server that says what the test wants, and a clock that only moves when told. */
function createPage(options: { storage?: Map<string, string>; scope?: string } = {}) {
  const storage = options.storage ?? new Map<string, string>();
  const sent: { command: Command; key: string }[] = [];
  const pauses: number[] = [];
  const answers: Sent<string>[] = [];
  const asked: Asked<string>[] = [];
  let keys = 0;
  let waiting: (() => void) | undefined;
  const parts: AttemptParts<Command, string> = {
    scope: options.scope ?? 'order-1',
    memory: createAttemptMemory({
      getItem: (name) => storage.get(name) ?? null,
      setItem: (name, value) => void storage.set(name, value),
    }),
    async send(command, key) {
      sent.push({ command, key });
      const answer = answers.shift();
      if (!answer) return new Promise(() => undefined);
      return answer;
    },
    ask: async () => asked.shift() ?? { kind: 'lost' },
    mintKey: () => `key-${storage.size}-${++keys}`,
    now: () => 0,
    pause: (ms) =>
      new Promise((resolve) => {
        pauses.push(ms);
        waiting = resolve;
      }),
    random: () => 1,
  };
  const attempt = new Attempt(parts);
  return {
    attempt,
    sent,
    pauses,
    storage,
    /** The server's next answers, in order; none means silence. */
    answer: (...next: Sent<string>[]) => answers.push(...next),
    whenAsked: (...next: Asked<string>[]) => asked.push(...next),
    async passTime() {
      await settled();
      waiting?.();
      await settled();
    },
  };
}

/** Lets everything that can happen now, happen. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const lost: Sent<string> = { kind: 'lost' };
const paid: Sent<string> = { kind: 'answered', answer: 'paid' };

describe('the key', () => {
  test('is minted when the form loads and remembered before anything is sent', async () => {
    const page = createPage();
    expect([...page.storage.values()]).toEqual([JSON.stringify({ key: page.attempt.key, command: null })]);
    await page.attempt.restore();
    void page.attempt.submit({ card: 'visa' });
    expect(JSON.parse([...page.storage.values()][0] ?? '')).toEqual({
      key: page.attempt.key,
      command: '{"card":"visa"}',
    });
    expect(page.sent).toHaveLength(1);
  });

  test('is the same in every retry', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(lost, lost, paid);
    const done = page.attempt.submit({ card: 'visa' });
    await page.passTime();
    await page.passTime();
    await done;
    expect(new Set(page.sent.map(({ key }) => key)).size).toBe(1);
    expect(page.sent).toHaveLength(3);
    expect(page.attempt.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('is shared by a second tab, and survives a reload', () => {
    const first = createPage();
    const second = createPage({ storage: first.storage });
    expect(second.attempt.key).toBe(first.attempt.key);
  });

  test('is never reused for another order', () => {
    const first = createPage();
    const other = createPage({ storage: first.storage, scope: 'order-2' });
    expect(other.attempt.key).not.toBe(first.attempt.key);
  });

  test('is replaced after a definitive end, and when something else is sent after a refusal', async () => {
    const page = createPage();
    await page.attempt.restore();
    const first = page.attempt.key;
    page.answer({ kind: 'answered', answer: 'declined' });
    await page.attempt.submit({ card: 'visa' });
    const second = page.attempt.key;
    expect(second).not.toBe(first);

    page.attempt.reset();
    page.answer({ kind: 'refused', problem: { code: 'x', message: '', keyUsable: true, extensions: {} } });
    await page.attempt.submit({ card: 'visa' });
    const third = page.attempt.key;
    page.answer(paid);
    await page.attempt.submit({ card: 'mastercard' });
    expect(page.sent.at(-1)?.key).not.toBe(third);
  });

  test('is kept when the same thing is sent again after a refusal', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(
      { kind: 'refused', problem: { code: 'x', message: '', keyUsable: true, extensions: {} } },
      paid,
    );
    await page.attempt.submit({ card: 'visa' });
    await page.attempt.submit({ card: 'visa' });
    expect(page.sent[1]?.key).toBe(page.sent[0]?.key);
  });

  test('lives on in memory when storage throws', async () => {
    const memory = createAttemptMemory({
      getItem: () => {
        throw new Error('blocked');
      },
      setItem: () => {
        throw new Error('full');
      },
    });
    memory.write('order-1', { key: 'k', command: null });
    expect(memory.read('order-1')).toEqual({ key: 'k', command: null });
  });
});

describe('submitting', () => {
  test('twice in the same moment sends one request', async () => {
    const page = createPage();
    await page.attempt.restore();
    void page.attempt.submit({ card: 'visa' });
    void page.attempt.submit({ card: 'visa' });
    void page.attempt.submit({ card: 'mastercard' });
    await settled();
    expect(page.sent).toHaveLength(1);
  });

  test('waits as long as Retry-After says while the twin is running', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer({ kind: 'in_progress', retryAfterMs: 1234 }, paid);
    const done = page.attempt.submit({ card: 'visa' });
    await settled();
    expect(page.attempt.state).toMatchObject({ kind: 'waiting', why: 'in_progress' });
    expect(page.pauses).toEqual([1234]);
    await page.passTime();
    await done;
    expect(page.attempt.state.kind).toBe('done');
  });

  test('backs off longer and longer, then gives up without calling it a failure, and goes on with what was sent', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(...Array.from({ length: 8 }, () => lost));
    const done = page.attempt.submit({ card: 'visa' });
    for (let n = 0; n < 8; n++) await page.passTime();
    await done;
    expect(page.pauses).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    expect(page.attempt.state).toEqual({ kind: 'gave_up', tries: 8 });
    page.answer(paid);
    await page.attempt.submit({ card: 'mastercard' });
    expect(page.sent.at(-1)).toEqual(page.sent[0]);
  });
});

describe('hurrying', () => {
  test('makes the next try come now when the last one brought no answer', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(lost, paid);
    const done = page.attempt.submit({ card: 'visa' });
    await settled();
    expect(page.attempt.state).toMatchObject({ kind: 'waiting', why: 'no_answer' });
    page.attempt.hurry();
    await done;
    expect(page.sent.map(({ key }) => key)).toEqual([page.sent[0]?.key, page.sent[0]?.key]);
    expect(page.attempt.state.kind).toBe('done');
  });

  test('asks sooner about an unknown outcome', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer({ kind: 'pending', operationId: 'op' });
    page.whenAsked({ kind: 'unknown', operationId: 'op' }, { kind: 'answered', answer: 'paid' });
    const done = page.attempt.submit({ card: 'visa' });
    await settled();
    expect(page.attempt.state.kind).toBe('checking');
    page.attempt.hurry();
    await done;
    expect(page.attempt.state).toEqual({ kind: 'done', answer: 'paid' });
    expect(page.sent).toHaveLength(1);
  });

  test('is what submitting again does then, and the command of the form is not sent', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(lost, paid);
    const done = page.attempt.submit({ card: 'visa' });
    await settled();
    await page.attempt.submit({ card: 'mastercard' });
    await done;
    expect(page.sent.map(({ command }) => command.card)).toEqual(['visa', 'visa']);
  });

  test.each(['in_progress', 'unavailable'] as const)(
    'does not shorten what Retry-After says (%s)',
    async (kind) => {
      const page = createPage();
      await page.attempt.restore();
      page.answer({ kind, retryAfterMs: 5000 }, paid);
      const done = page.attempt.submit({ card: 'visa' });
      await settled();
      page.attempt.hurry();
      void page.attempt.submit({ card: 'visa' });
      await settled();
      expect(page.attempt.state).toMatchObject({ kind: 'waiting', why: kind });
      expect(page.sent).toHaveLength(1);
      await page.passTime();
      await done;
    },
  );

  test('once does not shorten the pause after that', async () => {
    const page = createPage();
    await page.attempt.restore();
    page.answer(lost, lost, paid);
    void page.attempt.submit({ card: 'visa' });
    await settled();
    page.attempt.hurry();
    page.attempt.hurry();
    await settled();
    expect(page.sent).toHaveLength(2);
    expect(page.attempt.state).toMatchObject({ kind: 'waiting', tries: 2 });
  });
});

describe('after a reload', () => {
  async function reloaded(...asked: Asked<string>[]) {
    const before = createPage();
    await before.attempt.restore();
    void before.attempt.submit({ card: 'visa' });
    await settled();
    const page = createPage({ storage: before.storage });
    page.whenAsked(...asked);
    return page;
  }

  test('the server is asked before anything is sent', async () => {
    const page = await reloaded({ kind: 'answered', answer: 'paid' });
    await page.attempt.restore();
    expect(page.sent).toEqual([]);
    expect(page.attempt.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('a request that never arrived leaves the form ready, with the key kept', async () => {
    const page = await reloaded({ kind: 'none' });
    const { key } = page.attempt;
    await page.attempt.restore();
    expect(page.attempt.state).toEqual({ kind: 'ready' });
    expect(page.attempt.key).toBe(key);
  });

  test('an unknown outcome is asked about until there is a definitive word', async () => {
    const page = await reloaded(
      { kind: 'unknown', operationId: 'op' },
      { kind: 'unknown', operationId: 'op' },
      { kind: 'lost' },
      { kind: 'answered', answer: 'paid' },
    );
    const restored = page.attempt.restore();
    await settled();
    expect(page.attempt.state).toMatchObject({ kind: 'checking', operationId: 'op' });
    await page.passTime();
    await page.passTime();
    await restored;
    expect(page.attempt.state).toEqual({ kind: 'done', answer: 'paid' });
    expect(page.sent).toEqual([]);
  });

  test('one that is still running is joined with the same key and the same command', async () => {
    const page = await reloaded({ kind: 'running' });
    page.answer(paid);
    await page.attempt.restore();
    expect(page.sent).toEqual([{ command: { card: 'visa' }, key: expect.any(String) }]);
    expect(page.attempt.state.kind).toBe('done');
  });

  test('a bank that wants to see the shopper is told with its address', async () => {
    const page = await reloaded(
      { kind: 'unknown', operationId: 'op' },
      { kind: 'unknown', operationId: 'op', actionUrl: 'https://bank.example' },
    );
    void page.attempt.restore();
    await settled();
    expect(page.attempt.state).toMatchObject({ kind: 'checking', actionUrl: 'https://bank.example' });
    expect(page.attempt.sent).toEqual({ card: 'visa' });
  });
});

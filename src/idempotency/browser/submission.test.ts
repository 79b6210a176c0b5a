import { describe, expect, test } from 'vitest';
import { createAttemptMemory } from './key-memory.ts';
import type { Asked, Sent } from './submission-state.ts';
import { FakeBrowser, type FakeTab } from './testing/browser.ts';

const lost: Sent<string> = { kind: 'lost' };
const paid: Sent<string> = { kind: 'answered', answer: 'paid' };
const declined: Sent<string> = { kind: 'answered', answer: 'declined' };
const refusal: Sent<string> = {
  kind: 'refused',
  problem: { code: 'x', message: '', keyUsable: true, extensions: {} },
};
const visa = { card: 'visa' };
const mastercard = { card: 'mastercard' };

async function openForm() {
  const browser = new FakeBrowser();
  const tab = browser.open();
  await browser.calm();
  return { browser, tab, pauses: () => browser.pending.filter(({ what }) => what === 'pause') };
}

async function tap(browser: FakeBrowser, tab: FakeTab, command = visa): Promise<void> {
  void tab.attempt.submit(command);
  await browser.calm();
}

describe('the key', () => {
  test('is minted when the form loads, and bound to what is sent before it leaves', async () => {
    const { browser, tab } = await openForm();
    expect(tab.state).toEqual({ kind: 'ready' });
    expect(browser.remembered()).toEqual({ key: tab.attempt.key, command: null, phase: 'minted' });
    await tap(browser, tab);
    expect(browser.remembered()).toEqual({
      key: browser.sends[0]?.key,
      command: '{"card":"visa"}',
      phase: 'open',
    });
    expect(browser.mints).toHaveLength(1);
  });

  test('is the same in every retry', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', lost);
    await browser.happen('pause');
    await browser.happen('send', lost);
    await browser.happen('pause');
    await browser.happen('send', paid);
    expect(browser.sends).toHaveLength(3);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
    expect(tab.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('is minted once by two tabs that load in the same moment', async () => {
    const browser = new FakeBrowser();
    const [one, other] = [browser.open(), browser.open()];
    await browser.calm();
    expect(browser.mints).toHaveLength(1);
    expect([one.state.kind, other.state.kind]).toEqual(['ready', 'ready']);
  });

  test('is never reused for another order', async () => {
    const { browser, tab } = await openForm();
    const other = browser.open('order-2');
    await browser.calm();
    expect(other.attempt.key).not.toBe(tab.attempt.key);
  });

  test('is replaced after a definitive end, and when something else is sent after a refusal', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', declined);
    tab.attempt.reset();
    await tap(browser, tab);
    await browser.happen('send', refusal);
    await tap(browser, tab, mastercard);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(3);
  });

  test('is kept when the same thing is sent again after a refusal', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', refusal);
    await tap(browser, tab);
    expect(browser.sends[1]?.key).toBe(browser.sends[0]?.key);
  });

  test('lives on in memory when storage throws', () => {
    const memory = createAttemptMemory({
      getItem: () => {
        throw new Error('blocked');
      },
      setItem: () => {
        throw new Error('full');
      },
    });
    memory.write('order-1', { key: 'k', command: null, phase: 'minted' });
    expect(memory.read('order-1')).toEqual({ key: 'k', command: null, phase: 'minted' });
  });

  test('of a page from before a deploy is understood', () => {
    const memory = createAttemptMemory({
      getItem: (entry) => JSON.stringify({ key: 'k', command: entry.endsWith('sent') ? '{}' : null }),
      setItem: () => undefined,
    });
    expect(memory.read('sent')?.phase).toBe('open');
    expect(memory.read('new')?.phase).toBe('minted');
  });
});

describe('submitting', () => {
  test('twice in the same moment sends one request', async () => {
    const { browser, tab } = await openForm();
    void tab.attempt.submit(visa);
    void tab.attempt.submit(visa);
    await tap(browser, tab, mastercard);
    expect(browser.sends).toHaveLength(1);
  });

  test('before the page has looked into its memory counts, if there was nothing in it', async () => {
    const browser = new FakeBrowser();
    const tab = browser.open();
    await tap(browser, tab);
    expect(browser.sends).toHaveLength(1);
  });

  test('waits as long as Retry-After says while the twin is running, and never calls that a try in vain', async () => {
    const { browser, tab, pauses } = await openForm();
    await tap(browser, tab);
    for (let n = 0; n < 20; n++) {
      await browser.happen('send', { kind: 'in_progress', retryAfterMs: 1234 });
      expect(tab.state).toMatchObject({ kind: 'waiting', why: 'in_progress', tries: 1 });
      expect(pauses().map(({ ms }) => ms)).toEqual([1234]);
      await browser.happen('pause');
    }
    await browser.happen('send', paid);
    expect(tab.state.kind).toBe('done');
  });

  test('backs off longer and longer, then gives up without calling it a failure, and goes on with what was sent', async () => {
    const { browser, tab, pauses } = await openForm();
    await tap(browser, tab);
    const waited: (number | undefined)[] = [];
    for (let n = 0; n < 8; n++) {
      await browser.happen('send', lost);
      waited.push(pauses()[0]?.ms);
      await browser.happen('pause');
    }
    expect(waited).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    expect(tab.state).toEqual({ kind: 'gave_up', tries: 8 });
    await tap(browser, tab, mastercard);
    expect(browser.sends.at(-1)).toEqual(browser.sends[0]);
  });
});

describe('hurrying', () => {
  test('makes the next try come now when the last one brought no answer', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', lost);
    expect(tab.state).toMatchObject({ kind: 'waiting', why: 'no_answer' });
    tab.attempt.hurry();
    tab.attempt.hurry();
    await browser.calm();
    expect(browser.sends).toHaveLength(2);
    // Once does not shorten the pause after that.
    await browser.happen('send', lost);
    expect(tab.state).toMatchObject({ kind: 'waiting', tries: 2 });
  });

  test('is what submitting again does then, and the command of the form is not sent', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', lost);
    await tap(browser, tab, mastercard);
    expect(browser.sends.map(({ command }) => command.card)).toEqual(['visa', 'visa']);
  });

  test('asks sooner about an unknown outcome', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', { kind: 'pending', operationId: 'op' });
    await browser.happen('ask', { kind: 'unknown', operationId: 'op' });
    expect(browser.find('ask')).toBeUndefined();
    tab.attempt.hurry();
    await browser.happen('ask', { kind: 'answered', answer: 'paid' });
    expect(tab.state).toEqual({ kind: 'done', answer: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test.each(['in_progress', 'unavailable'] as const)(
    'does not shorten what Retry-After says (%s)',
    async (kind) => {
      const { browser, tab } = await openForm();
      await tap(browser, tab);
      await browser.happen('send', { kind, retryAfterMs: 5000 });
      tab.attempt.hurry();
      await tap(browser, tab);
      expect(tab.state).toMatchObject({ kind: 'waiting', why: kind });
      expect(browser.sends).toHaveLength(1);
    },
  );
});

describe('an unknown outcome', () => {
  async function checked() {
    const form = await openForm();
    await tap(form.browser, form.tab);
    await form.browser.happen('send', { kind: 'pending', operationId: 'op' });
    return form;
  }

  test('ends with the live word, without another question', async () => {
    const { browser, tab } = await checked();
    await browser.happen('ask', { kind: 'unknown', operationId: 'op' });
    tab.tell({ kind: 'answered', answer: 'paid' });
    await browser.calm();
    expect(tab.state).toEqual({ kind: 'done', answer: 'paid' });
    expect(tab.watching).toBe(false);
  });

  test('ends with the live word that comes while a question hangs', async () => {
    const { browser, tab } = await checked();
    expect(browser.find('ask')).toBeDefined();
    tab.tell({ kind: 'answered', answer: 'paid' });
    await browser.calm();
    expect(tab.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('is asked about less and less often where no live word comes, and never given up', async () => {
    const { browser, tab, pauses } = await checked();
    const waited: number[] = [];
    for (let n = 0; n < 12; n++) {
      await browser.happen('ask', { kind: 'lost' });
      waited.push(pauses()[0]?.ms ?? 0);
      await browser.happen('pause');
    }
    expect(waited.slice(0, 3)).toEqual([2000, 3000, 4500]);
    expect(waited.at(-1)).toBe(20_000);
    expect(tab.state.kind).toBe('checking');
  });

  test('at a bank that wants to see the shopper is told with its address', async () => {
    const { browser, tab } = await checked();
    await browser.happen('ask', { kind: 'unknown', operationId: 'op', actionUrl: 'https://bank.example' });
    expect(tab.state).toMatchObject({ kind: 'checking', actionUrl: 'https://bank.example' });
    expect(tab.attempt.sent).toEqual(visa);
  });
});

describe('after a reload, a crash or a restart', () => {
  /** The old tab died while its request was out; the storage is all that is left. */
  async function reloaded() {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    tab.kill();
    const page = browser.open();
    await browser.calm();
    return { browser, page };
  }

  test('the server is asked before anything is sent', async () => {
    const { browser, page } = await reloaded();
    expect(page.state).toEqual({ kind: 'restoring', tries: 1 });
    await browser.happen('ask', { kind: 'answered', answer: 'paid' });
    expect(browser.sends).toHaveLength(1);
    expect(page.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('a request that never arrived leaves the form ready, with the key kept, after a second look', async () => {
    const { browser, page } = await reloaded();
    const { key } = page.attempt;
    await browser.happen('ask', { kind: 'none' });
    expect(page.state.kind).toBe('restoring');
    await browser.happen('pause');
    await browser.happen('ask', { kind: 'none' });
    expect(page.state).toEqual({ kind: 'ready' });
    await tap(browser, page);
    expect(browser.sends.map((send) => send.key)).toEqual([key, key]);
  });

  test('one that ended so long ago that nobody knows how leaves the form ready, with a new key for the next tap', async () => {
    const { browser, page } = await reloaded();
    await browser.happen('ask', { kind: 'over' });
    expect(page.state).toEqual({ kind: 'ready', keySpent: true });
    await tap(browser, page);
    expect(browser.sends).toHaveLength(2);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a question that overtook its request is asked again', async () => {
    const { browser, page } = await reloaded();
    await browser.happen('ask', { kind: 'none' });
    await browser.happen('pause');
    await browser.happen('ask', { kind: 'unknown', operationId: 'op' });
    expect(page.state).toMatchObject({ kind: 'checking', operationId: 'op' });
  });

  test('one that is still running is joined with the same key and the same command', async () => {
    const { browser, page } = await reloaded();
    await browser.happen('ask', { kind: 'running' });
    expect(browser.sends[1]).toMatchObject({ key: browser.sends[0]?.key, command: visa });
    await browser.happen('send', paid);
    expect(page.state.kind).toBe('done');
  });

  test('a question without an answer is repeated, and nothing is sent meanwhile', async () => {
    const { browser, page } = await reloaded();
    for (let n = 0; n < 8; n++) {
      await browser.happen('ask', { kind: 'lost' });
      expect(page.state).toMatchObject({ kind: 'restoring', tries: n + 1, resumesAt: expect.any(Number) });
      await browser.happen('pause');
    }
    expect(page.state).toEqual({ kind: 'gave_up', tries: 8 });
    expect(browser.sends).toHaveLength(1);
  });

  test('what ended before is said again, and the next one is a new wish', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', declined);
    tab.kill();
    const page = browser.open();
    await browser.happen('lock');
    await browser.happen('ask', declined as Asked<string>);
    expect(page.state).toEqual({ kind: 'done', answer: 'declined' });
    page.attempt.reset();
    await tap(browser, page);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a page that is left gives the lock back at once, and writes nothing any more', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    const send = browser.find('send');
    tab.attempt.dispose();
    const page = browser.open();
    await browser.calm();
    expect(page.state.kind).toBe('restoring');
    const before = browser.remembered();
    send?.happen(paid);
    await browser.calm();
    expect(browser.remembered()).toEqual(before);
  });
});

describe('two tabs', () => {
  async function openTwo() {
    const browser = new FakeBrowser();
    const [one, other] = [browser.open(), browser.open()];
    await browser.calm();
    return { browser, one, other };
  }

  test('tapped in the same moment send one request, and both say what came of it', async () => {
    const { browser, one, other } = await openTwo();
    void one.attempt.submit(visa);
    void other.attempt.submit(mastercard);
    await browser.calm();
    expect(browser.sends).toHaveLength(1);
    expect(other.state).toEqual({
      kind: 'following',
      there: { kind: 'sending', tries: 1, after: undefined },
    });
    await browser.happen('send', paid);
    expect([one.state, other.state]).toEqual([
      { kind: 'done', answer: 'paid' },
      { kind: 'done', answer: 'paid' },
    ]);
    expect(browser.sends).toHaveLength(1);
  });

  test('follow each other: retrying, checking and the end are seen in both', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    await browser.happen('send', lost);
    expect(other.state).toMatchObject({ kind: 'following', there: { kind: 'waiting', tries: 1 } });
    other.attempt.hurry();
    await browser.calm();
    expect(browser.sends).toHaveLength(2);
    await browser.happen('send', { kind: 'pending', operationId: 'op' });
    expect(other.state).toMatchObject({ kind: 'following', there: { kind: 'checking', operationId: 'op' } });
    one.tell({ kind: 'answered', answer: 'declined' });
    await browser.calm();
    expect(other.state).toEqual({ kind: 'done', answer: 'declined' });
    // The next wish may come from either.
    other.attempt.reset();
    await tap(browser, other, mastercard);
    expect(browser.sends.at(-1)).toMatchObject({ tab: other.name, command: mastercard });
    expect(one.state.kind).toBe('following');
  });

  test('one that comes while the other is at work follows it at once', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    const late = browser.open();
    await browser.calm();
    expect(late.state).toEqual({
      kind: 'following',
      there: { kind: 'sending', tries: 1, after: undefined },
    });
  });

  test('the one at work killed: the other asks what became of it, and goes on', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    one.kill();
    await browser.calm();
    expect(other.state).toEqual({ kind: 'restoring', tries: 1 });
    expect(browser.sends).toHaveLength(1);
    await browser.happen('ask', { kind: 'running' });
    await browser.happen('send', paid);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
    expect(other.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('the one at work killed after the end was written but before it was told: the other finds out', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    browser.find('send')?.happen(paid);
    await new Promise((resolve) => setImmediate(resolve));
    expect(browser.remembered().phase).toBe('ended');
    one.kill();
    for (const news of browser.pending.filter(({ what }) => what === 'news')) {
      browser.pending.splice(browser.pending.indexOf(news), 1);
    }
    await browser.calm();
    await browser.happen('ask', { kind: 'answered', answer: 'paid' });
    expect(other.state).toEqual({ kind: 'done', answer: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test('giving up in one does not set the other going', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    for (let n = 0; n < 8; n++) {
      await browser.happen('send', lost);
      await browser.happen('pause');
    }
    expect([one.state.kind, other.state.kind]).toEqual(['gave_up', 'gave_up']);
    expect(browser.pending).toEqual([]);
    await tap(browser, other, mastercard);
    expect(browser.sends.at(-1)).toMatchObject({ key: browser.sends[0]?.key, command: visa });
  });

  test('a frozen one at work does not keep the truth from the other', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    expect(other.state.kind).toBe('following');
    other.attempt.hurry();
    await browser.happen('ask', { kind: 'answered', answer: 'paid' }, other);
    expect(other.state).toEqual({ kind: 'done', answer: 'paid' });
  });

  test('a form that is being filled in is not disturbed by the other being loaded again', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    await browser.happen('send', refusal);
    one.kill();
    const again = browser.open();
    await browser.calm();
    expect(again.state.kind).toBe('restoring');
    expect(other.state.kind).toBe('refused');
  });
});

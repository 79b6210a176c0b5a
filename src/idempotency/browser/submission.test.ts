import { describe, expect, test } from 'vitest';
import { createKeyMemory } from './key-memory.ts';
import type { SendResult, StatusResult } from './submission-state.ts';
import { FakeBrowser, type FakeTab } from './testing/browser.ts';

const lost: SendResult<string> = { kind: 'lost' };
const paid: SendResult<string> = { kind: 'completed', result: 'paid' };
const declined: SendResult<string> = { kind: 'completed', result: 'declined' };
const refusal: SendResult<string> = {
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
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
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
    const memory = createKeyMemory({
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
    const memory = createKeyMemory({
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

  test('before the page has read its memory counts, if there was nothing in it', async () => {
    const browser = new FakeBrowser();
    const tab = browser.open();
    await tap(browser, tab);
    expect(browser.sends).toHaveLength(1);
  });

  test('waits as long as Retry-After says while the first request is running, and does not count that as a try', async () => {
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

describe('retryNow', () => {
  test('makes the next try come now when the last one got no response', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', lost);
    expect(tab.state).toMatchObject({ kind: 'waiting', why: 'no_response' });
    tab.attempt.retryNow();
    tab.attempt.retryNow();
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
    tab.attempt.retryNow();
    await browser.happen('ask', { kind: 'completed', result: 'paid' });
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test.each(['in_progress', 'unavailable'] as const)(
    'does not shorten what Retry-After says (%s)',
    async (kind) => {
      const { browser, tab } = await openForm();
      await tap(browser, tab);
      await browser.happen('send', { kind, retryAfterMs: 5000 });
      tab.attempt.retryNow();
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

  test('ends with the pushed status, without another read', async () => {
    const { browser, tab } = await checked();
    await browser.happen('ask', { kind: 'unknown', operationId: 'op' });
    tab.push({ kind: 'completed', result: 'paid' });
    await browser.calm();
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(tab.watching).toBe(false);
  });

  test('ends with the status that is pushed while a read hangs', async () => {
    const { browser, tab } = await checked();
    expect(browser.find('ask')).toBeDefined();
    tab.push({ kind: 'completed', result: 'paid' });
    await browser.calm();
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('is read less and less often where no status is pushed, and never given up', async () => {
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

  test('that waits for the shopper’s bank has the bank’s address', async () => {
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
    await browser.happen('ask', { kind: 'completed', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
    expect(page.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('a request that never arrived leaves the form ready, with the key kept, after a second read', async () => {
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

  test('one whose response is no longer kept leaves the form ready, with a new key for the next submit', async () => {
    const { browser, page } = await reloaded();
    await browser.happen('ask', { kind: 'over' });
    expect(page.state).toEqual({ kind: 'ready', keySpent: true });
    await tap(browser, page);
    expect(browser.sends).toHaveLength(2);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a status read that overtook its request is repeated', async () => {
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

  test('a status read without a response is repeated, and nothing is sent meanwhile', async () => {
    const { browser, page } = await reloaded();
    for (let n = 0; n < 8; n++) {
      await browser.happen('ask', { kind: 'lost' });
      expect(page.state).toMatchObject({ kind: 'restoring', tries: n + 1, resumesAt: expect.any(Number) });
      await browser.happen('pause');
    }
    expect(page.state).toEqual({ kind: 'gave_up', tries: 8 });
    expect(browser.sends).toHaveLength(1);
  });

  test('what ended before is shown again, and the next submit is a new command', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    await browser.happen('send', declined);
    tab.kill();
    const page = browser.open();
    await browser.happen('lock');
    await browser.happen('ask', declined as StatusResult<string>);
    expect(page.state).toEqual({ kind: 'done', result: 'declined' });
    page.attempt.reset();
    await tap(browser, page);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a page that is left releases the lock at once, and writes nothing any more', async () => {
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

  test('submitted in the same moment send one request, and both show its result', async () => {
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
      { kind: 'done', result: 'paid' },
      { kind: 'done', result: 'paid' },
    ]);
    expect(browser.sends).toHaveLength(1);
  });

  test('follow each other: retrying, checking and the end are shown in both', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    await browser.happen('send', lost);
    expect(other.state).toMatchObject({ kind: 'following', there: { kind: 'waiting', tries: 1 } });
    other.attempt.retryNow();
    await browser.calm();
    expect(browser.sends).toHaveLength(2);
    await browser.happen('send', { kind: 'pending', operationId: 'op' });
    expect(other.state).toMatchObject({ kind: 'following', there: { kind: 'checking', operationId: 'op' } });
    one.push({ kind: 'completed', result: 'declined' });
    await browser.calm();
    expect(other.state).toEqual({ kind: 'done', result: 'declined' });
    // The next command may come from either.
    other.attempt.reset();
    await tap(browser, other, mastercard);
    expect(browser.sends.at(-1)).toMatchObject({ tab: other.name, command: mastercard });
    expect(one.state.kind).toBe('following');
  });

  test('one that is opened while the other works follows it at once', async () => {
    const { browser, tab } = await openForm();
    await tap(browser, tab);
    const opened = browser.open();
    await browser.calm();
    expect(opened.state).toEqual({
      kind: 'following',
      there: { kind: 'sending', tries: 1, after: undefined },
    });
  });

  test('the working tab killed: the other reads the status, and continues', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    one.kill();
    await browser.calm();
    expect(other.state).toEqual({ kind: 'restoring', tries: 1 });
    expect(browser.sends).toHaveLength(1);
    await browser.happen('ask', { kind: 'running' });
    await browser.happen('send', paid);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('the working tab killed after the end was written but before it was published: the other reads it', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    browser.find('send')?.happen(paid);
    await new Promise((resolve) => setImmediate(resolve));
    expect(browser.remembered().phase).toBe('ended');
    one.kill();
    for (const message of browser.pending.filter(({ what }) => what === 'message')) {
      browser.pending.splice(browser.pending.indexOf(message), 1);
    }
    await browser.calm();
    await browser.happen('ask', { kind: 'completed', result: 'paid' });
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test('giving up in one does not start the other', async () => {
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

  test('a frozen working tab does not keep the result from the other', async () => {
    const { browser, one, other } = await openTwo();
    await tap(browser, one);
    expect(other.state.kind).toBe('following');
    other.attempt.retryNow();
    await browser.happen('ask', { kind: 'completed', result: 'paid' }, other);
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
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

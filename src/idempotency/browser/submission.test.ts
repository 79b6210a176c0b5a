import { describe, expect, test } from 'vitest';
import { createKeyMemory } from './key-memory.ts';
import type { SendResult, StatusResult } from './submission-state.ts';
import { FakeBrowser, type FakeTab, flushPromises } from './testing/browser.ts';

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
  await browser.deliver();
  return { browser, tab, pauses: () => browser.pending.filter(({ kind }) => kind === 'pause') };
}

async function submit(browser: FakeBrowser, tab: FakeTab, command = visa): Promise<void> {
  void tab.submission.submit(command);
  await browser.deliver();
}

describe('tries that never left the device', () => {
  const neverLeft: SendResult<string> = { kind: 'lost', neverLeft: true };

  test('do not count: after any number of them the command is sent once there is a network', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    for (let n = 0; n < 30; n++) {
      await browser.finish('send', neverLeft);
      expect(tab.state).toMatchObject({ kind: 'waiting', why: 'no_response', tries: 1 });
      await browser.finish('pause');
    }
    await browser.finish('send', paid);
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
  });

  test('do not count while the status of an earlier command is read either', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    tab.kill();
    const page = browser.open();
    await browser.deliver();
    for (let n = 0; n < 30; n++) {
      await browser.finish('status', { kind: 'lost', neverLeft: true });
      await browser.finish('pause');
    }
    await browser.finish('status', { kind: 'completed', result: 'paid' });
    expect(page.state).toEqual({ kind: 'done', result: 'paid' });
  });
});

test('coming online again goes on with a command that was given up, under the same key', async () => {
  const { browser, tab } = await openForm();
  await submit(browser, tab);
  for (let n = 0; n < 8; n++) {
    await browser.finish('send', lost);
    await browser.finish('pause');
  }
  expect(tab.state).toEqual({ kind: 'gave_up', tries: 8 });
  tab.submission.retryNow();
  await browser.deliver();
  expect(tab.state).toMatchObject({ kind: 'sending' });
  await browser.finish('send', paid);
  expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
  expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
});

test('a command without input is sent, and is found again after a reload', async () => {
  const { browser, tab } = await openForm();
  void tab.submission.submit(undefined as never);
  await browser.deliver();
  await browser.finish('send', lost);
  tab.kill();
  const page = browser.open();
  await browser.deliver();
  await browser.finish('status', { kind: 'in_progress' });
  await browser.finish('send', paid);
  expect(page.state).toEqual({ kind: 'done', result: 'paid' });
  expect(browser.sends.map(({ command }) => command)).toEqual([undefined, undefined]);
  expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
});

describe('while the lock is not released yet', () => {
  test('a command that is submitted as soon as the form is ready is sent', async () => {
    const browser = new FakeBrowser();
    const tab = browser.open();
    const stop = tab.submission.subscribe(() => tab.state.kind === 'ready' && tab.submission.submit(visa));
    await browser.deliver();
    stop();
    expect(tab.state).toMatchObject({ kind: 'sending' });
    await browser.finish('send', paid);
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test('a command that was just given up goes on under the same key', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    const stop = tab.submission.subscribe(() => tab.state.kind === 'gave_up' && tab.submission.retryNow());
    for (let n = 0; n < 8; n++) {
      await browser.finish('send', lost);
      await browser.finish('pause');
    }
    stop();
    await browser.finish('send', paid);
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(9);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
  });
});

describe('the key', () => {
  test('is minted when the form loads, and bound to the command before that is sent', async () => {
    const { browser, tab } = await openForm();
    expect(tab.state).toEqual({ kind: 'ready' });
    expect(browser.remembered()).toEqual({ key: tab.submission.key, command: null, stage: 'minted' });
    await submit(browser, tab);
    expect(browser.remembered()).toEqual({
      key: browser.sends[0]?.key,
      command: '{"card":"visa"}',
      stage: 'unresolved',
    });
    expect(browser.mintedKeys).toHaveLength(1);
  });

  test('is the same in every retry', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', lost);
    await browser.finish('pause');
    await browser.finish('send', lost);
    await browser.finish('pause');
    await browser.finish('send', paid);
    expect(browser.sends).toHaveLength(3);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('is minted once by two tabs that load at the same time', async () => {
    const browser = new FakeBrowser();
    const [one, other] = [browser.open(), browser.open()];
    await browser.deliver();
    expect(browser.mintedKeys).toHaveLength(1);
    expect([one.state.kind, other.state.kind]).toEqual(['ready', 'ready']);
  });

  test('is not shared between orders', async () => {
    const { browser, tab } = await openForm();
    const other = browser.open('order-2');
    await browser.deliver();
    expect(other.submission.key).not.toBe(tab.submission.key);
  });

  test('is replaced after a definitive response, and when another command is sent after a refusal', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', declined);
    tab.submission.reset();
    await submit(browser, tab);
    await browser.finish('send', refusal);
    await submit(browser, tab, mastercard);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(3);
  });

  test('is kept when the same command is sent again after a refusal', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', refusal);
    await submit(browser, tab);
    expect(browser.sends[1]?.key).toBe(browser.sends[0]?.key);
  });

  test('is kept in memory when storage throws', () => {
    const memory = createKeyMemory({
      getItem: () => {
        throw new Error('blocked');
      },
      setItem: () => {
        throw new Error('full');
      },
    });
    memory.write('order-1', { key: 'k', command: null, stage: 'minted' });
    expect(memory.read('order-1')).toEqual({ key: 'k', command: null, stage: 'minted' });
  });

  test('is kept in memory without storage, also when the form is left and opened again in the same page', () => {
    createKeyMemory(undefined).write('order-2', { key: 'k', command: '{}', stage: 'unresolved' });
    expect(createKeyMemory(undefined).read('order-2')).toMatchObject({ key: 'k', stage: 'unresolved' });
  });

  describe('where storage has no room for more', () => {
    async function declineThenFill() {
      const { browser, tab } = await openForm();
      await submit(browser, tab);
      await browser.finish('send', declined);
      tab.submission.reset();
      browser.isFull = true;
      await submit(browser, tab, mastercard);
      return { browser, tab };
    }

    test('is replaced for another command, which is sent; its result is shown, and not that of the first', async () => {
      const { browser, tab } = await declineThenFill();
      expect(browser.sends.map(({ command }) => command)).toEqual([visa, mastercard]);
      expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
      await browser.finish('send', lost);
      await browser.finish('pause');
      await browser.finish('send', paid);
      expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
      expect(browser.sends[2]).toEqual(browser.sends[1]);
    });

    test('is kept across a reload, without the command', async () => {
      const { browser, tab } = await declineThenFill();
      tab.kill();
      const page = browser.open();
      await browser.deliver();
      expect(page.state).toEqual({ kind: 'ready' });
      await submit(browser, page, mastercard);
      expect(browser.sends[2]?.key).toBe(browser.sends[1]?.key);
    });
  });

  test('stored by a page from before a deploy is read', () => {
    const memory = createKeyMemory({
      getItem: (entry) =>
        JSON.stringify({ key: 'k'.repeat(16), command: entry.endsWith('sent') ? '{}' : null }),
      setItem: () => undefined,
    });
    expect(memory.read('sent')?.stage).toBe('unresolved');
    expect(memory.read('new')?.stage).toBe('minted');
  });
});

describe('submitting', () => {
  test('several times at once sends one request', async () => {
    const { browser, tab } = await openForm();
    void tab.submission.submit(visa);
    void tab.submission.submit(visa);
    await submit(browser, tab, mastercard);
    expect(browser.sends).toHaveLength(1);
  });

  test('before the page has read its memory sends the command, if none was sent before', async () => {
    const browser = new FakeBrowser();
    const tab = browser.open();
    await submit(browser, tab);
    expect(browser.sends).toHaveLength(1);
  });

  test('waits as long as Retry-After says while the first request is in progress, and does not count that as a try', async () => {
    const { browser, tab, pauses } = await openForm();
    await submit(browser, tab);
    for (let n = 0; n < 20; n++) {
      await browser.finish('send', { kind: 'in_progress', retryAfterMs: 1234 });
      expect(tab.state).toMatchObject({ kind: 'waiting', why: 'in_progress', tries: 1 });
      expect(pauses().map(({ ms }) => ms)).toEqual([1234]);
      await browser.finish('pause');
    }
    await browser.finish('send', paid);
    expect(tab.state.kind).toBe('done');
  });

  test('backs off exponentially, then gives up without calling it a failure; the next submit sends the same command', async () => {
    const { browser, tab, pauses } = await openForm();
    await submit(browser, tab);
    const waited: (number | undefined)[] = [];
    for (let n = 0; n < 8; n++) {
      await browser.finish('send', lost);
      waited.push(pauses()[0]?.ms);
      await browser.finish('pause');
    }
    expect(waited).toEqual([500, 1000, 2000, 4000, 8000, 15000, 15000, 15000]);
    expect(tab.state).toEqual({ kind: 'gave_up', tries: 8 });
    await submit(browser, tab, mastercard);
    expect(browser.sends.at(-1)).toEqual(browser.sends[0]);
  });
});

describe('retryNow', () => {
  test('sends the next try at once when the last one got no response', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', lost);
    expect(tab.state).toMatchObject({ kind: 'waiting', why: 'no_response' });
    tab.submission.retryNow();
    tab.submission.retryNow();
    await browser.deliver();
    expect(browser.sends).toHaveLength(2);
    // It ends one pause and not the one after it.
    await browser.finish('send', lost);
    expect(tab.state).toMatchObject({ kind: 'waiting', tries: 2 });
  });

  test('is what submitting again does then; the edited command is not sent', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', lost);
    await submit(browser, tab, mastercard);
    expect(browser.sends.map(({ command }) => command.card)).toEqual(['visa', 'visa']);
  });

  test('reads the status of an unknown outcome at once', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', { kind: 'pending', operationId: 'op' });
    await browser.finish('status', { kind: 'unknown', operationId: 'op' });
    expect(browser.find('status')).toBeUndefined();
    tab.submission.retryNow();
    await browser.finish('status', { kind: 'completed', result: 'paid' });
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test.each(['in_progress', 'unavailable'] as const)(
    'does not shorten the wait that Retry-After asks for (%s)',
    async (kind) => {
      const { browser, tab } = await openForm();
      await submit(browser, tab);
      await browser.finish('send', { kind, retryAfterMs: 5000 });
      tab.submission.retryNow();
      await submit(browser, tab);
      expect(tab.state).toMatchObject({ kind: 'waiting', why: kind });
      expect(browser.sends).toHaveLength(1);
    },
  );
});

describe('an unknown outcome', () => {
  async function openUnknown() {
    const form = await openForm();
    await submit(form.browser, form.tab);
    await form.browser.finish('send', { kind: 'pending', operationId: 'op' });
    return form;
  }

  test('ends with the pushed status, without another read', async () => {
    const { browser, tab } = await openUnknown();
    await browser.finish('status', { kind: 'unknown', operationId: 'op' });
    tab.push({ kind: 'completed', result: 'paid' });
    await browser.deliver();
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
    expect(tab.watching).toBe(false);
  });

  test('ends with a status that is pushed while a read hangs', async () => {
    const { browser, tab } = await openUnknown();
    expect(browser.find('status')).toBeDefined();
    tab.push({ kind: 'completed', result: 'paid' });
    await browser.deliver();
    expect(tab.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('is read less and less often where no status is pushed, and is never given up', async () => {
    const { browser, tab, pauses } = await openUnknown();
    const waited: number[] = [];
    for (let n = 0; n < 12; n++) {
      await browser.finish('status', { kind: 'lost' });
      waited.push(pauses()[0]?.ms ?? 0);
      await browser.finish('pause');
    }
    expect(waited.slice(0, 3)).toEqual([2000, 3000, 4500]);
    expect(waited.at(-1)).toBe(20_000);
    expect(tab.state.kind).toBe('checking');
  });

  test('that depends on the shopper’s bank has the bank’s address', async () => {
    const { browser, tab } = await openUnknown();
    await browser.finish('status', { kind: 'unknown', operationId: 'op', actionUrl: 'https://bank.example' });
    expect(tab.state).toMatchObject({ kind: 'checking', actionUrl: 'https://bank.example' });
    expect(tab.submission.sent).toEqual(visa);
  });
});

describe('after a reload, a crash or a restart', () => {
  /** The old tab was closed while its request was in flight; only the storage is left. */
  async function reload() {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    tab.kill();
    const page = browser.open();
    await browser.deliver();
    return { browser, page };
  }

  test('the status is read before anything is sent', async () => {
    const { browser, page } = await reload();
    expect(page.state).toEqual({ kind: 'restoring', tries: 1 });
    await browser.finish('status', { kind: 'completed', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
    expect(page.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('a request that never arrived leaves the form ready, with the key kept, after a second read', async () => {
    const { browser, page } = await reload();
    const { key } = page.submission;
    await browser.finish('status', { kind: 'none' });
    expect(page.state.kind).toBe('restoring');
    await browser.finish('pause');
    await browser.finish('status', { kind: 'none' });
    // It may still be on its way, so this is no proof that nothing happened.
    expect(page.state).toEqual({ kind: 'ready', notArrived: true });
    await submit(browser, page);
    expect(browser.sends.map((send) => send.key)).toEqual([key, key]);
  });

  test('an operation whose response is no longer kept leaves the form ready, with a new key for the next submit', async () => {
    const { browser, page } = await reload();
    await browser.finish('status', { kind: 'expired' });
    expect(page.state).toEqual({ kind: 'ready', keySpent: true });
    await submit(browser, page);
    expect(browser.sends).toHaveLength(2);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a status read that overtook its request is repeated', async () => {
    const { browser, page } = await reload();
    await browser.finish('status', { kind: 'none' });
    await browser.finish('pause');
    await browser.finish('status', { kind: 'unknown', operationId: 'op' });
    expect(page.state).toMatchObject({ kind: 'checking', operationId: 'op' });
  });

  test('a command in progress is sent again with the same key, to get its response', async () => {
    const { browser, page } = await reload();
    await browser.finish('status', { kind: 'in_progress' });
    expect(browser.sends[1]).toMatchObject({ key: browser.sends[0]?.key, command: visa });
    await browser.finish('send', paid);
    expect(page.state.kind).toBe('done');
  });

  test('a status read without a response is repeated, and nothing is sent meanwhile', async () => {
    const { browser, page } = await reload();
    for (let n = 0; n < 8; n++) {
      await browser.finish('status', { kind: 'lost' });
      expect(page.state).toMatchObject({ kind: 'restoring', tries: n + 1, resumesAt: expect.any(Number) });
      await browser.finish('pause');
    }
    expect(page.state).toEqual({ kind: 'gave_up', tries: 8 });
    expect(browser.sends).toHaveLength(1);
  });

  test('a response from before is shown again, and the next submit is a new command', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    await browser.finish('send', declined);
    tab.kill();
    const page = browser.open();
    await browser.finish('lock');
    await browser.finish('status', declined as StatusResult<string>);
    expect(page.state).toEqual({ kind: 'done', result: 'declined' });
    page.submission.reset();
    await submit(browser, page);
    expect(browser.sends[1]?.key).not.toBe(browser.sends[0]?.key);
  });

  test('a disposed page releases the lock at once, and writes nothing more', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    const send = browser.find('send');
    tab.submission.dispose();
    const page = browser.open();
    await browser.deliver();
    expect(page.state.kind).toBe('restoring');
    const before = browser.remembered();
    send?.finish(paid);
    await browser.deliver();
    expect(browser.remembered()).toEqual(before);
  });
});

describe('two tabs', () => {
  async function openTwo() {
    const browser = new FakeBrowser();
    const [one, other] = [browser.open(), browser.open()];
    await browser.deliver();
    return { browser, one, other };
  }

  test('that submit at the same time send one request, and both show its result', async () => {
    const { browser, one, other } = await openTwo();
    void one.submission.submit(visa);
    void other.submission.submit(mastercard);
    await browser.deliver();
    expect(browser.sends).toHaveLength(1);
    expect(other.state).toEqual({
      kind: 'following',
      otherTab: { kind: 'sending', tries: 1, after: undefined },
    });
    await browser.finish('send', paid);
    expect([one.state, other.state]).toEqual([
      { kind: 'done', result: 'paid' },
      { kind: 'done', result: 'paid' },
    ]);
    expect(browser.sends).toHaveLength(1);
  });

  test('follow each other: waiting, checking and the result are shown in both', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    await browser.finish('send', lost);
    expect(other.state).toMatchObject({ kind: 'following', otherTab: { kind: 'waiting', tries: 1 } });
    other.submission.retryNow();
    await browser.deliver();
    expect(browser.sends).toHaveLength(2);
    await browser.finish('send', { kind: 'pending', operationId: 'op' });
    expect(other.state).toMatchObject({
      kind: 'following',
      otherTab: { kind: 'checking', operationId: 'op' },
    });
    one.push({ kind: 'completed', result: 'declined' });
    await browser.deliver();
    expect(other.state).toEqual({ kind: 'done', result: 'declined' });
    // Either tab may send the next command.
    other.submission.reset();
    await submit(browser, other, mastercard);
    expect(browser.sends.at(-1)).toMatchObject({ tab: other.name, command: mastercard });
    expect(one.state.kind).toBe('following');
  });

  test('a tab that is opened while the other sends follows it at once', async () => {
    const { browser, tab } = await openForm();
    await submit(browser, tab);
    const opened = browser.open();
    await browser.deliver();
    expect(opened.state).toEqual({
      kind: 'following',
      otherTab: { kind: 'sending', tries: 1, after: undefined },
    });
  });

  test('when the sending tab is killed, the other reads the status and continues', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    one.kill();
    await browser.deliver();
    expect(other.state).toEqual({ kind: 'restoring', tries: 1 });
    expect(browser.sends).toHaveLength(1);
    await browser.finish('status', { kind: 'in_progress' });
    await browser.finish('send', paid);
    expect(new Set(browser.sends.map(({ key }) => key)).size).toBe(1);
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('when the sending tab is killed after it wrote the result and before it published it, the other reads it', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    browser.find('send')?.finish(paid);
    await flushPromises();
    expect(browser.remembered().stage).toBe('ended');
    one.kill();
    for (const message of browser.pending.filter(({ kind }) => kind === 'message')) {
      browser.pending.splice(browser.pending.indexOf(message), 1);
    }
    await browser.deliver();
    await browser.finish('status', { kind: 'completed', result: 'paid' });
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
    expect(browser.sends).toHaveLength(1);
  });

  test('when one gives up, the other does not start', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    for (let n = 0; n < 8; n++) {
      await browser.finish('send', lost);
      await browser.finish('pause');
    }
    expect([one.state.kind, other.state.kind]).toEqual(['gave_up', 'gave_up']);
    expect(browser.pending).toEqual([]);
    await submit(browser, other, mastercard);
    expect(browser.sends.at(-1)).toMatchObject({ key: browser.sends[0]?.key, command: visa });
  });

  test('a frozen sending tab does not keep the result from the other', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    expect(other.state.kind).toBe('following');
    other.submission.retryNow();
    await browser.finish('status', { kind: 'completed', result: 'paid' }, other);
    expect(other.state).toEqual({ kind: 'done', result: 'paid' });
  });

  test('a form that is being filled in does not change when the other tab is reloaded', async () => {
    const { browser, one, other } = await openTwo();
    await submit(browser, one);
    await browser.finish('send', refusal);
    one.kill();
    const again = browser.open();
    await browser.deliver();
    expect(again.state.kind).toBe('restoring');
    expect(other.state.kind).toBe('refused');
  });
});

test('an entry whose command is not readable keeps its key, so that the server decides what it was used for', () => {
  const entry = JSON.stringify({ key: 'the-key-that-is-kept', command: '{"email":', stage: 'unresolved' });
  const memory = createKeyMemory({ getItem: () => entry, setItem: () => undefined });
  expect(memory.read('order')).toEqual({ key: 'the-key-that-is-kept', command: null, stage: 'minted' });
});

test.each([
  'short',
  '',
  'a key with spaces in it',
  'two,keys,in-one-text',
  'schlüssel-schlüssel',
  'a-key\nX: of-another-header',
])('an entry with a key that no server takes, %j, is replaced by a new one', async (key) => {
  const browser = new FakeBrowser();
  browser.storage.set('paidonce.key.order-1', JSON.stringify({ key, command: null, stage: 'minted' }));
  const tab = browser.open();
  await browser.deliver();
  await submit(browser, tab);
  expect(browser.sends.map((sent) => sent.key)).toEqual(browser.mintedKeys);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SendResult, StatusResult } from './submission-state.ts';
import { FakeBrowser, flushed, type Pending } from './testing/browser.ts';

/**
 * A server that responds like the real one, as far as a browser can tell: the first command of a key is executed, the same
 * again gets its result, and another command under the key is refused.
 */
class FakeServer {
  readonly #byKey = new Map<
    string,
    { command: string; status: 'running' | 'unknown' | 'released' | 'ended' | 'over' }
  >();

  receive(key: string, command: string, dice: number): SendResult<string> {
    const record = this.#byKey.get(key);
    if (record && record.command !== command) {
      const problem = { code: 'reused', message: '', keyUsable: false, extensions: {} };
      return { kind: 'refused', problem };
    }
    if (record?.status === 'over') {
      return { kind: 'refused', problem: { code: 'expired', message: '', keyUsable: false, extensions: {} } };
    }
    if (record?.status === 'ended') return { kind: 'completed', result: key };
    if (record?.status === 'unknown') return { kind: 'pending', operationId: key };
    if (record?.status === 'running') {
      if (dice % 2) return { kind: 'in_progress', retryAfterMs: 1 };
    }
    const status = (['ended', 'unknown', 'running', 'released'] as const)[dice % 4] ?? 'ended';
    this.#byKey.set(key, { command, status });
    if (status === 'ended') return { kind: 'completed', result: key };
    if (status === 'unknown') return { kind: 'pending', operationId: key };
    if (status === 'running') return { kind: 'in_progress', retryAfterMs: 1 };
    return { kind: 'refused', problem: { code: 'no', message: '', keyUsable: true, extensions: {} } };
  }

  statusOf(key: string): StatusResult<string> {
    const record = this.#byKey.get(key);
    if (!record) return { kind: 'none' };
    if (record.status === 'ended') return { kind: 'completed', result: key };
    if (record.status === 'unknown') return { kind: 'unknown', operationId: key };
    return { kind: record.status };
  }

  /** A webhook, or an operator: evidence comes by itself. */
  resolveAll(): void {
    for (const record of this.#byKey.values()) {
      if (record.status === 'unknown' || record.status === 'running') record.status = 'ended';
    }
  }

  /** The responses are old by now, and no longer kept. */
  expireAll(): void {
    for (const record of this.#byKey.values()) if (record.status === 'ended') record.status = 'over';
  }
}

/** Lets one thing happen that could happen now; the dice decide which one, and its result. */
async function step(browser: FakeBrowser, server: FakeServer, watch: Watch, dice: number): Promise<void> {
  const [choice, fate] = [dice % 16, Math.floor(dice / 16)];
  const tab = browser.tabs[fate % Math.max(1, browser.tabs.length)];
  if (choice === 0 && browser.tabs.length < 4) browser.open();
  else if (choice === 1 && tab) tab.kill();
  else if (choice === 2) fate % 4 === 0 ? server.expireAll() : server.resolveAll();
  else if (choice === 3 && tab) tab.attempt.retryNow();
  else if (choice < 7 && tab) {
    if (tab.state.kind === 'done') tab.attempt.reset();
    void tab.attempt.submit({ card: fate % 3 ? 'visa' : 'mastercard' });
  } else happen(browser, server, watch, fate);
  await flushed();
}

function happen(browser: FakeBrowser, server: FakeServer, watch: Watch, fate: number): void {
  const one = browser.pending[fate % Math.max(1, browser.pending.length)];
  if (one?.what === 'send') watch.result(one, respondTo(one, server, Math.floor(fate / 7)));
  else if (one?.what === 'ask') {
    watch.result(one, fate % 5 ? server.statusOf(one.key ?? '') : { kind: 'lost' });
  } else if (one) {
    // Messages to a tab arrive in the order in which they were posted.
    const first = one.what === 'message' && browser.find('message', one.tab);
    (first || one).happen();
  }
}

function respondTo(one: Pending, server: FakeServer, dice: number): SendResult<string> {
  // Lost on the way there, or on the way back.
  if (dice % 7 === 0) return { kind: 'lost' };
  const sent = server.receive(one.key ?? '', JSON.stringify(one.command), Math.floor(dice / 7));
  return dice % 5 === 0 ? { kind: 'lost' } : sent;
}

/** Tracks what the browser can know, and records every send that it must not make. */
class Watch {
  readonly violations: string[] = [];
  #counted = 0;
  /** Sent, and no tab has got a definitive result. */
  #unresolved: string | undefined;
  readonly #used: string[] = [];

  result(one: Pending, outcome: SendResult<string> | StatusResult<string>): void {
    const ends = ['completed', 'refused', 'released', 'over', 'none'].includes(outcome.kind);
    if (ends && one.key === this.#unresolved) this.#unresolved = undefined;
    one.happen(outcome);
  }

  check(browser: FakeBrowser): void {
    for (const { key, tab } of browser.sends.slice(this.#counted)) {
      if (this.#unresolved !== undefined && this.#unresolved !== key) {
        this.violations.push(`${tab} sent ${key} while ${this.#unresolved} was unresolved`);
      }
      if (this.#used.includes(key) && this.#used.at(-1) !== key) {
        this.violations.push(`${tab} sent ${key}, which had been replaced`);
      }
      if (this.#used.at(-1) !== key) this.#used.push(key);
      this.#unresolved = key;
    }
    this.#counted = browser.sends.length;
    const out = browser.pending.filter(({ what }) => what === 'send');
    if (new Set(out.map(({ key }) => key)).size > 1) this.violations.push('two keys were out at once');
  }
}

test('in any interleaving of tabs, network and shopper: one unresolved key at a time, and none that was replaced', async () => {
  let sends = 0;
  let takeovers = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 160 }), async (dice) => {
      const [browser, server, watch] = [new FakeBrowser(), new FakeServer(), new Watch()];
      browser.open();
      for (const one of dice) {
        await step(browser, server, watch, one);
        watch.check(browser);
        expect(watch.violations).toEqual([]);
      }
      sends += browser.sends.length;
      takeovers += new Set(browser.sends.map(({ tab }) => tab)).size > 1 ? 1 : 0;
    }),
    { numRuns: 300 },
  );
  // The dice must have caused sends: an idle browser violates nothing.
  expect(sends).toBeGreaterThan(300);
  expect(takeovers).toBeGreaterThan(30);
});

test('from any state, all tabs come to rest once the server and the network work again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000_000), { minLength: 20, maxLength: 80 }), async (dice) => {
      const [browser, server, watch] = [new FakeBrowser(), new FakeServer(), new Watch()];
      browser.open();
      for (const one of dice) await step(browser, server, watch, one);
      for (let n = 0; n < 500 && browser.pending.length > 0; n++) {
        server.resolveAll();
        const one = browser.pending[0] as Pending;
        if (one.what === 'send') one.happen(server.receive(one.key ?? '', JSON.stringify(one.command), 0));
        else one.happen(one.what === 'ask' ? server.statusOf(one.key ?? '') : undefined);
        await flushed();
      }
      const kinds = browser.tabs.map(({ state }) => state.kind);
      expect(kinds.filter((kind) => !['ready', 'done', 'refused', 'gave_up'].includes(kind))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

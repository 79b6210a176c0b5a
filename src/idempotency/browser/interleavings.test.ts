import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SendResult, StatusResult } from './submission-state.ts';
import { FakeBrowser, flushPromises, type Pending } from './testing/browser.ts';

/**
 * A server that responds to a browser like the real one: the first command of a key is executed, the same command again
 * gets its result, and another command under the key is refused.
 */
class FakeServer {
  readonly #byKey = new Map<
    string,
    { command: string; status: 'in_progress' | 'unknown' | 'released' | 'completed' | 'expired' }
  >();

  receive(key: string, command: string, dice: number): SendResult<string> {
    const record = this.#byKey.get(key);
    if (record && record.command !== command) {
      const problem = { code: 'reused', message: '', keyUsable: false, extensions: {} };
      return { kind: 'refused', problem };
    }
    if (record?.status === 'expired') {
      return { kind: 'refused', problem: { code: 'expired', message: '', keyUsable: false, extensions: {} } };
    }
    if (record?.status === 'completed') return { kind: 'completed', result: key };
    if (record?.status === 'unknown') return { kind: 'pending', operationId: key };
    if (record?.status === 'in_progress') {
      if (dice % 2) return { kind: 'in_progress', retryAfterMs: 1 };
    }
    const status = (['completed', 'unknown', 'in_progress', 'released'] as const)[dice % 4] ?? 'completed';
    this.#byKey.set(key, { command, status });
    if (status === 'completed') return { kind: 'completed', result: key };
    if (status === 'unknown') return { kind: 'pending', operationId: key };
    if (status === 'in_progress') return { kind: 'in_progress', retryAfterMs: 1 };
    return { kind: 'refused', problem: { code: 'no', message: '', keyUsable: true, extensions: {} } };
  }

  statusOf(key: string): StatusResult<string> {
    const record = this.#byKey.get(key);
    if (!record) return { kind: 'none' };
    if (record.status === 'completed') return { kind: 'completed', result: key };
    if (record.status === 'unknown') return { kind: 'unknown', operationId: key };
    return { kind: record.status };
  }

  /** Evidence arrives, as by a webhook or an operator. */
  resolveAll(): void {
    for (const record of this.#byKey.values()) {
      if (record.status === 'unknown' || record.status === 'in_progress') record.status = 'completed';
    }
  }

  /** The replay window of all completed operations is over. */
  expireAll(): void {
    for (const record of this.#byKey.values()) if (record.status === 'completed') record.status = 'expired';
  }
}

/** Takes one of the steps that are possible now; the dice decide which one, and its result. */
async function step(
  browser: FakeBrowser,
  server: FakeServer,
  monitor: SendMonitor,
  dice: number,
): Promise<void> {
  const [action, roll] = [dice % 16, Math.floor(dice / 16)];
  const tab = browser.tabs[roll % Math.max(1, browser.tabs.length)];
  if (action === 0 && browser.tabs.length < 4) browser.open();
  else if (action === 1 && tab) tab.kill();
  else if (action === 2) roll % 4 === 0 ? server.expireAll() : server.resolveAll();
  else if (action === 3 && tab) tab.submission.retryNow();
  else if (action < 7 && tab) {
    if (tab.state.kind === 'done') tab.submission.reset();
    void tab.submission.submit({ card: roll % 3 ? 'visa' : 'mastercard' });
  } else finishOne(browser, server, monitor, roll);
  await flushPromises();
}

function finishOne(browser: FakeBrowser, server: FakeServer, monitor: SendMonitor, roll: number): void {
  const one = browser.pending[roll % Math.max(1, browser.pending.length)];
  if (one?.kind === 'send') monitor.result(one, respondTo(one, server, Math.floor(roll / 7)));
  else if (one?.kind === 'status') {
    monitor.result(one, roll % 5 ? server.statusOf(one.key ?? '') : { kind: 'lost' });
  } else if (one) {
    // Messages to a tab arrive in the order in which they were posted.
    const first = one.kind === 'message' && browser.find('message', one.tab);
    (first || one).finish();
  }
}

function respondTo(one: Pending, server: FakeServer, dice: number): SendResult<string> {
  // The request is lost, or below its response.
  if (dice % 7 === 0) return { kind: 'lost' };
  const sent = server.receive(one.key ?? '', JSON.stringify(one.command), Math.floor(dice / 7));
  return dice % 5 === 0 ? { kind: 'lost' } : sent;
}

/** Tracks which key is unresolved for the browser, and records every send that violates the guarantee. */
class SendMonitor {
  readonly violations: string[] = [];
  #counted = 0;
  /** The key of a command that was sent and of which no tab has a definitive result. */
  #unresolved: string | undefined;
  readonly #usedKeys: string[] = [];

  result(one: Pending, outcome: SendResult<string> | StatusResult<string>): void {
    const ends = ['completed', 'refused', 'released', 'expired', 'none'].includes(outcome.kind);
    if (ends && one.key === this.#unresolved) this.#unresolved = undefined;
    one.finish(outcome);
  }

  check(browser: FakeBrowser): void {
    for (const { key, tab } of browser.sends.slice(this.#counted)) {
      if (this.#unresolved !== undefined && this.#unresolved !== key) {
        this.violations.push(`${tab} sent ${key} while ${this.#unresolved} was unresolved`);
      }
      if (this.#usedKeys.includes(key) && this.#usedKeys.at(-1) !== key) {
        this.violations.push(`${tab} sent ${key}, which had been replaced`);
      }
      if (this.#usedKeys.at(-1) !== key) this.#usedKeys.push(key);
      this.#unresolved = key;
    }
    this.#counted = browser.sends.length;
    const inFlight = browser.pending.filter(({ kind }) => kind === 'send');
    if (new Set(inFlight.map(({ key }) => key)).size > 1)
      this.violations.push('requests with two keys were in flight at once');
  }
}

/** Hundreds of runs take seconds on a busy machine. */
const manyRunsMs = 60_000;

test('in any interleaving of tabs, network and shopper, one key is unresolved at a time and no replaced key is sent', {
  timeout: manyRunsMs,
}, async () => {
  let sends = 0;
  let takeovers = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 160 }), async (dice) => {
      const [browser, server, monitor] = [new FakeBrowser(), new FakeServer(), new SendMonitor()];
      browser.open();
      for (const one of dice) {
        await step(browser, server, monitor, one);
        monitor.check(browser);
        expect(monitor.violations).toEqual([]);
      }
      sends += browser.sends.length;
      takeovers += new Set(browser.sends.map(({ tab }) => tab)).size > 1 ? 1 : 0;
    }),
    { numRuns: 300 },
  );
  // A browser that sends nothing violates nothing, so the runs must have caused sends and takeovers.
  expect(sends).toBeGreaterThan(300);
  expect(takeovers).toBeGreaterThan(30);
});

test('from any state, all tabs come to rest once the server and the network work again', {
  timeout: manyRunsMs,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_000_000), { minLength: 20, maxLength: 80 }), async (dice) => {
      const [browser, server, monitor] = [new FakeBrowser(), new FakeServer(), new SendMonitor()];
      browser.open();
      for (const one of dice) await step(browser, server, monitor, one);
      for (let n = 0; n < 500 && browser.pending.length > 0; n++) {
        server.resolveAll();
        const one = browser.pending[0] as Pending;
        if (one.kind === 'send') one.finish(server.receive(one.key ?? '', JSON.stringify(one.command), 0));
        else one.finish(one.kind === 'status' ? server.statusOf(one.key ?? '') : undefined);
        await flushPromises();
      }
      const kinds = browser.tabs.map(({ state }) => state.kind);
      expect(kinds.filter((kind) => !['ready', 'done', 'refused', 'gave_up'].includes(kind))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { cutMs, FaultyNetwork } from './faulty-network.ts';
import { countSent, createJournal, keyOf } from './journal.ts';

const key = '7f3a91c2-8d3e-4c55-9d2a-6d5b3f0e1a11';
const pay = '/api/trpc/payments.pay';
const body = '{"orderId":"1"}';
const init = { method: 'POST', headers: { 'Idempotency-Key': key }, body };

/** A browser and its network. Each test responds to the requests that left; an aborted request rejects. */
class FakeBrowser {
  readonly left: { url: string; body: unknown; respond(response: Response): void; fail(): void }[] = [];
  readonly storage = new Map<string, string>();
  shopHasIt = false;
  now = 0;
  #sleepers: { until: number; wake(): void }[] = [];

  readonly network = this.open();

  open(): FaultyNetwork {
    return new FaultyNetwork({
      fetch: (input, init) => this.#fetch(String(input), init),
      isClaimed: async () => this.shopHasIt,
      journal: createJournal('order', () => ({
        getItem: (name) => this.storage.get(name) ?? null,
        setItem: (name, value) => void this.storage.set(name, value),
      })),
      now: () => this.now,
      pause: (ms) => new Promise((wake) => this.#sleepers.push({ until: this.now + ms, wake })),
    });
  }

  async advance(ms: number): Promise<void> {
    this.now += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.now) wake();
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.now);
    await flush();
  }

  #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    const signal = init?.signal;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
      this.left.push({
        url,
        body: init?.body,
        respond: resolve,
        fail: () => reject(new TypeError('Failed to fetch')),
      });
    });
  }
}

const flush = () => new Promise((resolve) => setTimeout(resolve));
const paid = (headers = {}) => Response.json({ result: { data: { status: 'succeeded' } } }, { headers });
const outcomes = (network: FaultyNetwork) => network.state.requests.map(({ outcome }) => outcome.kind);

let browser: FakeBrowser;
beforeEach(() => {
  browser = new FakeBrowser();
});

describe('a network without a fault', () => {
  test('passes a payment on unchanged and records its outcome', async () => {
    const { network } = browser;
    const sent = network.fetch(pay, init);
    expect(network.state.requests).toEqual([{ n: 1, key, twin: false, outcome: { kind: 'waiting' } }]);
    browser.now += 31;
    browser.left[0]?.respond(paid({ 'Idempotent-Replayed': 'true' }));
    expect(await (await sent).json()).toEqual({ result: { data: { status: 'succeeded' } } });
    await flush();
    expect(network.state.requests[0]?.outcome).toEqual({
      kind: 'responded',
      status: 200,
      ms: 31,
      replayed: true,
      code: 'succeeded',
    });
  });

  test('records the code of a problem, and a request that the real network lost', async () => {
    const { network } = browser;
    const refused = network.fetch(pay, init);
    const lost = network.fetch(pay, init);
    const problem = { error: { data: { problem: { code: 'idempotency_key_in_progress' } } } };
    browser.left[0]?.respond(Response.json(problem, { status: 409 }));
    browser.left[1]?.fail();
    await refused;
    await expect(lost).rejects.toThrow('Failed to fetch');
    await flush();
    expect(network.state.requests.map(({ outcome }) => outcome)).toMatchObject([
      { kind: 'responded', status: 409, code: 'idempotency_key_in_progress' },
      { kind: 'failed' },
    ]);
  });

  test('passes every other request on and records none', async () => {
    const { network } = browser;
    void network.fetch('/api/trpc/payments.status?batch=1');
    expect(browser.left).toHaveLength(1);
    expect(network.state.requests).toEqual([]);
  });
});

describe('cut before sending', () => {
  test('no request leaves until the network is restored', async () => {
    const { network } = browser;
    network.dropAt('before_send');
    await expect(network.fetch(pay, init)).rejects.toThrow();
    await browser.advance(1_000);
    await expect(network.fetch(pay, init)).rejects.toThrow();
    await expect(network.fetch('/api/trpc/payments.status')).rejects.toThrow();
    expect(browser.left).toEqual([]);
    expect(outcomes(network)).toEqual(['never_left', 'never_left']);
    expect(countSent(network.state)).toBe(0);
    expect(network.state.cutUntil).toBe(cutMs);

    await browser.advance(cutMs - 1_000);
    expect(network.state.cutUntil).toBeUndefined();
    void network.fetch(pay, init);
    expect(browser.left).toHaveLength(1);
    expect(countSent(network.state)).toBe(1);
  });
});

describe('cut after sending', () => {
  test('the request leaves, and the connection is cut only once the shop has it', async () => {
    const { network } = browser;
    network.dropAt('after_claim');
    const sent = network.fetch(pay, init);
    sent.catch(() => undefined);
    await browser.advance(500);
    expect(outcomes(network)).toEqual(['waiting']);
    expect(network.state.cutUntil).toBeUndefined();

    browser.shopHasIt = true;
    await browser.advance(500);
    await expect(sent).rejects.toThrow();
    expect(browser.left).toMatchObject([{ url: pay, body }]);
    expect(outcomes(network)).toEqual(['response_lost']);
    await expect(network.fetch(pay, init)).rejects.toThrow();
    expect(outcomes(network)).toEqual(['response_lost', 'never_left']);
    expect(countSent(network.state)).toBe(1);
  });

  test('a response that comes before the check is lost too', async () => {
    const { network } = browser;
    network.dropAt('after_claim');
    const sent = network.fetch(pay, init);
    browser.left[0]?.respond(paid());
    await expect(sent).rejects.toThrow();
    expect(outcomes(network)).toEqual(['response_lost']);
    expect(network.state.cutUntil).toBeDefined();
  });

  test('a failure of the real network is not recorded as a cut', async () => {
    const { network } = browser;
    network.dropAt('after_claim');
    const sent = network.fetch(pay, init);
    browser.left[0]?.fail();
    await expect(sent).rejects.toThrow('Failed to fetch');
    expect(outcomes(network)).toEqual(['failed']);
    expect(network.state.cutUntil).toBeUndefined();
  });
});

test('twice: the same bytes leave two times under one key, and the page gets the response to its own request', async () => {
  const { network } = browser;
  network.sendTwice();
  const sent = network.fetch(pay, init);
  expect(browser.left.map(({ body }) => body)).toEqual([body, body]);
  const problem = { error: { data: { problem: { code: 'idempotency_key_in_progress' } } } };
  browser.left[1]?.respond(Response.json(problem, { status: 409 }));
  await flush();
  browser.left[0]?.respond(paid());
  expect((await sent).status).toBe(200);
  await flush();
  expect(network.state.requests).toMatchObject([
    { n: 1, key, twin: false, outcome: { status: 200, code: 'succeeded' } },
    { n: 2, key, twin: true, outcome: { status: 409, code: 'idempotency_key_in_progress' } },
  ]);
});

test('a fault is injected once', async () => {
  const { network } = browser;
  network.sendTwice();
  void network.fetch(pay, init);
  void network.fetch(pay, init);
  expect(browser.left).toHaveLength(3);
});

test('the journal outlives the page: a request that was waiting when it closed is recorded as page_closed', async () => {
  const { network } = browser;
  network.countClick();
  const listener = vi.fn();
  network.subscribe(listener);
  void network.fetch(pay, init);
  expect(listener).toHaveBeenCalled();
  const reopened = browser.open();
  expect(reopened.state).toMatchObject({
    clicks: 1,
    requests: [{ n: 1, key, outcome: { kind: 'page_closed' } }],
  });
  expect(countSent(reopened.state)).toBe(1);
  expect(keyOf(reopened.state, 'the next one')).toBe(key);
  expect(keyOf({ clicks: 0, requests: [] }, 'the next one')).toBe('the next one');
});

test('without storage the journal is empty after a reload, and nothing else fails', () => {
  const denied = createJournal('order', () => {
    throw new Error('denied');
  });
  denied.write({ clicks: 1, requests: [] });
  expect(denied.read()).toEqual({ clicks: 0, requests: [] });
});

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { countSent, createJournal, keyOf } from './journal.ts';
import { cutMs, Line } from './faulty-network.ts';

const key = '7f3a91c2-8d3e-4c55-9d2a-6d5b3f0e1a11';
const pay = '/api/trpc/payments.pay';
const body = '{"orderId":"1"}';
const init = { method: 'POST', headers: { 'Idempotency-Key': key }, body };

/** A browser and a shop: requests that left, answered by hand; aborting one is what a browser does. */
class Street {
  readonly left: { url: string; body: unknown; answer(response: Response): void; fail(): void }[] = [];
  readonly kept = new Map<string, string>();
  shopHasIt = false;
  now = 0;
  #sleepers: { until: number; wake(): void }[] = [];

  readonly line = this.open();

  open(): Line {
    return new Line({
      fetch: (input, init) => this.#fetch(String(input), init),
      arrived: async () => this.shopHasIt,
      journal: createJournal('order', () => ({
        getItem: (name) => this.kept.get(name) ?? null,
        setItem: (name, value) => void this.kept.set(name, value),
      })),
      now: () => this.now,
      pause: (ms) => new Promise((wake) => this.#sleepers.push({ until: this.now + ms, wake })),
    });
  }

  async pass(ms: number): Promise<void> {
    this.now += ms;
    for (const { until, wake } of this.#sleepers) if (until <= this.now) wake();
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.now);
    await settle();
  }

  #fetch(url: string, init: RequestInit | undefined): Promise<Response> {
    const signal = init?.signal;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
      this.left.push({
        url,
        body: init?.body,
        answer: resolve,
        fail: () => reject(new TypeError('Failed to fetch')),
      });
    });
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve));
const paid = (headers = {}) => Response.json({ result: { data: { status: 'succeeded' } } }, { headers });
const fates = (line: Line) => line.state.requests.map(({ fate }) => fate.kind);

let street: Street;
beforeEach(() => {
  street = new Street();
});

describe('a whole line', () => {
  test('lets a payment through untouched and writes down what became of it', async () => {
    const { line } = street;
    const sent = line.fetch(pay, init);
    expect(line.state.requests).toEqual([{ n: 1, key, twin: false, fate: { kind: 'waiting' } }]);
    street.now += 31;
    street.left[0]?.answer(paid({ 'Idempotent-Replayed': 'true' }));
    expect(await (await sent).json()).toEqual({ result: { data: { status: 'succeeded' } } });
    await settle();
    expect(line.state.requests[0]?.fate).toEqual({
      kind: 'answered',
      status: 200,
      ms: 31,
      replayed: true,
      said: 'succeeded',
    });
  });

  test('names the problem in a refusal, and calls a dead network what it is', async () => {
    const { line } = street;
    const refused = line.fetch(pay, init);
    const lost = line.fetch(pay, init);
    const problem = { error: { data: { problem: { code: 'idempotency_key_in_progress' } } } };
    street.left[0]?.answer(Response.json(problem, { status: 409 }));
    street.left[1]?.fail();
    await refused;
    await expect(lost).rejects.toThrow('Failed to fetch');
    await settle();
    expect(line.state.requests.map(({ fate }) => fate)).toMatchObject([
      { kind: 'answered', status: 409, said: 'idempotency_key_in_progress' },
      { kind: 'failed' },
    ]);
  });

  test('lets everything else through and writes nothing down', async () => {
    const { line } = street;
    void line.fetch('/api/trpc/payments.attempt?batch=1');
    expect(street.left).toHaveLength(1);
    expect(line.state.requests).toEqual([]);
  });
});

describe('cut before sending', () => {
  test('nothing leaves, however often it is tried, until the line has mended itself', async () => {
    const { line } = street;
    line.arm('before');
    await expect(line.fetch(pay, init)).rejects.toThrow();
    await street.pass(1_000);
    await expect(line.fetch(pay, init)).rejects.toThrow();
    await expect(line.fetch('/api/trpc/payments.attempt')).rejects.toThrow();
    expect(street.left).toEqual([]);
    expect(fates(line)).toEqual(['never_left', 'never_left']);
    expect(countSent(line.state)).toBe(0);
    expect(line.state.cutUntil).toBe(cutMs);

    await street.pass(cutMs - 1_000);
    expect(line.state.cutUntil).toBeUndefined();
    void line.fetch(pay, init);
    expect(street.left).toHaveLength(1);
    expect(countSent(line.state)).toBe(1);
  });
});

describe('cut after sending', () => {
  test('the request leaves, and the connection is cut once the shop has it and not before', async () => {
    const { line } = street;
    line.arm('after');
    const sent = line.fetch(pay, init);
    sent.catch(() => undefined);
    await street.pass(500);
    expect(fates(line)).toEqual(['waiting']);
    expect(line.state.cutUntil).toBeUndefined();

    street.shopHasIt = true;
    await street.pass(500);
    await expect(sent).rejects.toThrow();
    expect(street.left).toMatchObject([{ url: pay, body }]);
    expect(fates(line)).toEqual(['answer_lost']);
    await expect(line.fetch(pay, init)).rejects.toThrow();
    expect(fates(line)).toEqual(['answer_lost', 'never_left']);
    expect(countSent(line.state)).toBe(1);
  });

  test('an answer that is faster than the question is lost all the same', async () => {
    const { line } = street;
    line.arm('after');
    const sent = line.fetch(pay, init);
    street.left[0]?.answer(paid());
    await expect(sent).rejects.toThrow();
    expect(fates(line)).toEqual(['answer_lost']);
    expect(line.state.cutUntil).toBeDefined();
  });

  test('a network that fails by itself is not claimed as a cut', async () => {
    const { line } = street;
    line.arm('after');
    const sent = line.fetch(pay, init);
    street.left[0]?.fail();
    await expect(sent).rejects.toThrow('Failed to fetch');
    expect(fates(line)).toEqual(['failed']);
    expect(line.state.cutUntil).toBeUndefined();
  });
});

test('sent twice: the same bytes leave two times under one key, and the page gets the answer to its own', async () => {
  const { line } = street;
  line.arm('twice');
  const sent = line.fetch(pay, init);
  expect(street.left.map(({ body }) => body)).toEqual([body, body]);
  const problem = { error: { data: { problem: { code: 'idempotency_key_in_progress' } } } };
  street.left[1]?.answer(Response.json(problem, { status: 409 }));
  await settle();
  street.left[0]?.answer(paid());
  expect((await sent).status).toBe(200);
  await settle();
  expect(line.state.requests).toMatchObject([
    { n: 1, key, twin: false, fate: { status: 200, said: 'succeeded' } },
    { n: 2, key, twin: true, fate: { status: 409, said: 'idempotency_key_in_progress' } },
  ]);
  expect(line.state.armed).toBeUndefined();
});

test('a trick is played once', async () => {
  const { line } = street;
  line.arm('twice');
  void line.fetch(pay, init);
  void line.fetch(pay, init);
  expect(street.left).toHaveLength(3);
});

test('the story outlives the page: a request that was waiting when it closed is told as left behind', async () => {
  const { line } = street;
  line.countClick();
  const listener = vi.fn();
  line.subscribe(listener);
  void line.fetch(pay, init);
  expect(listener).toHaveBeenCalled();
  const reopened = street.open();
  expect(reopened.state).toMatchObject({
    clicks: 1,
    requests: [{ n: 1, key, fate: { kind: 'left_behind' } }],
  });
  expect(countSent(reopened.state)).toBe(1);
  expect(keyOf(reopened.state, 'the next one')).toBe(key);
  expect(keyOf({ clicks: 0, requests: [] }, 'the next one')).toBe('the next one');
});

test('storage that is closed costs the story after a reload and nothing else', () => {
  const closed = createJournal('order', () => {
    throw new Error('denied');
  });
  closed.write({ clicks: 1, requests: [] });
  expect(closed.read()).toEqual({ clicks: 0, requests: [] });
});

import { describe, expect, test, vi } from 'vitest';
import { responseOf } from './adapters/fetch.ts';
import type { Execution, Verdict } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { readBody } from './response-body.ts';
import type { MemoryTx } from './stores/memory.ts';
import { createEngineUnderTest, operation, request } from './testing/engine-under-test.ts';

const links = { problem: (code: string) => code, operation: (id: string) => id };
const returned = (body: unknown, status = 200): Verdict<unknown, MemoryTx> => ({
  ...{ kind: 'completed', status, body, cause: 'returned' },
});

describe('a handler that returns nothing', () => {
  test('has completed: it runs once, and the replay returns nothing as well', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const handler = vi.fn(async () => returned(undefined));
    const outcomes = [await engine.run(operation, same, handler), await engine.run(operation, same, handler)];
    expect(handler).toHaveBeenCalledTimes(1);
    for (const outcome of outcomes) {
      if (outcome.kind !== 'completed') throw new Error(`Expected completed, got ${outcome.kind}`);
      expect(readBody(outcome.response.body)).toBeUndefined();
    }
  });

  test.each([
    [204, undefined],
    [204, null],
    [205, { deleted: true }],
    [304, { unchanged: true }],
  ])('may respond with %i, first and as a replay: %j', async (status, body) => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const respond = async () =>
      responseOf(await engine.run(operation, same, async () => returned(body, status)), links);
    for (const response of [await respond(), await respond()]) {
      expect([response.status, await response.text(), response.headers.get('content-type')]).toEqual([
        ...[status, '', null],
      ]);
    }
  });
});

test('the replay is what the first caller got, although the body was changed after the handler had returned it', async () => {
  const { engine } = createEngineUnderTest();
  const same = request();
  const handler = async () => {
    const order: { id: string; storedAt?: string } = { id: 'A-1' };
    const writes = async () => {
      order.storedAt = 'now';
    };
    return { ...returned(order), writes } as const;
  };
  const first = await engine.run(operation, same, handler);
  expect(await engine.run(operation, same, handler)).toEqual({ ...first, replayed: true });
});

const circle: { self?: unknown } = {};
circle.self = circle;

test.each([
  ['a BigInt', { id: 1n }, 'claimed'],
  ['a BigInt, after something was sent', { id: 1n }, 'sent'],
  ['a function', () => 'x', 'claimed'],
  ['a circle', circle, 'claimed'],
  ['a status that is none of HTTP', 'x', 'sent', 600],
  ['no status', 'x', 'sent', Number.NaN],
])(
  'a result that cannot be stored (%s) never lets the handler run again',
  async (_, body, point, status?) => {
    const { engine, store } = createEngineUnderTest();
    const same = request();
    const handler = vi.fn(async (execution: Execution<MemoryTx>) => {
      if (point === 'sent') await execution.phase('sent');
      return returned(body, status);
    });
    const first = await engine.run(operation, same, handler);
    expect(first).toMatchObject({
      kind: 'refused',
      problem: { spec: { code: 'response_not_storable', newKey: 'unsafe' } },
    });
    for (let retry = 0; retry < 3; retry += 1)
      expect(await engine.run(operation, same, handler)).toEqual(first);
    expect(handler).toHaveBeenCalledTimes(1);
    if (first.kind !== 'refused' || !first.operationId)
      throw new Error('Expected the operation to be named.');
    expect(await store.findById({ tenantId: same.tenantId, id: first.operationId })).toMatchObject({
      status: 'completed',
    });
  },
);

test('the caller of a superseded owner also gets the problem that the result could not be stored', async () => {
  const { engine, advance } = createEngineUnderTest();
  const same = request();
  const outcomes: Outcome[] = [];
  outcomes.push(
    await engine.run(operation, same, async (execution) => {
      advance(31_000);
      // Nothing was sent, so the retry may execute.
      outcomes.push(await engine.run(operation, same, async () => returned(1n)));
      await execution.phase('sent');
      return returned('late');
    }),
  );
  expect(outcomes[0]).toMatchObject({ problem: { spec: { code: 'response_not_storable' } } });
  expect(outcomes[1]).toEqual(outcomes[0]);
});

test.each([
  ['a Map', { tags: new Map([['a', 1]]) }, 'tags'],
  ['a Set', { tags: new Set([1]) }, 'tags'],
  ['a FormData', new FormData(), 'input'],
  ['a File', { scan: new File(['x'], 'x.txt') }, 'scan'],
  ['a BigInt', { lines: [{ amount: 1n }] }, 'lines.0.amount'],
  ['NaN', { amount: Number.NaN }, 'amount'],
  ['a list with nothing in it, which is not null', { lines: [undefined] }, 'lines.0'],
  ['a Date that is none', { on: new Date(Number.NaN) }, 'on'],
  ['a function', { callback: () => undefined }, 'callback'],
  ['half of a surrogate pair', { lines: [{ note: 'a\ud800' }] }, 'lines.0.note'],
  ['half of a surrogate pair as a name', { tags: { 'a\ud800': 1 } }, 'tags'],
  ['a name with NUL, which PostgreSQL cannot keep', { tags: { 'a\0': 1 } }, 'tags'],
])('an input with %s is refused before the claim, and the field is named', async (_, input, field) => {
  const { engine, store } = createEngineUnderTest();
  const claim = vi.spyOn(store, 'claim');
  const handler = vi.fn(async () => returned('never'));
  expect(await engine.run(operation, request({ input }), handler)).toMatchObject({
    kind: 'refused',
    problem: {
      spec: { code: 'command_not_canonical', http: 400 },
      detail: expect.stringContaining(`${field}:`),
    },
  });
  expect([handler, claim].map((spy) => spy.mock.calls.length)).toEqual([0, 0]);
});

test('a Date is compared by its moment', async () => {
  const { engine } = createEngineUnderTest();
  const at = (day: number) =>
    request({ keyHeader: 'key-of-one-shipment', input: { on: new Date(2026, 0, day) } });
  await engine.run(operation, at(1), async () => returned('first'));
  expect(await engine.run(operation, at(1), async () => returned('second'))).toMatchObject({
    replayed: true,
  });
  expect(await engine.run(operation, at(2), async () => returned('third'))).toMatchObject({
    problem: { spec: { code: 'idempotency_key_reused' } },
  });
});

test('with a transformer, a list with nothing in it and a Date that is none are other commands than null', async () => {
  const { engine } = createEngineUnderTest();
  const writeValue = (value: unknown) => ({ written: String(value) });
  const send = (input: unknown, keyHeader: string) =>
    engine.run(operation, request({ keyHeader, input, writeValue }), async () => returned('executed'));
  for (const [one, other] of [
    [[undefined], [null]],
    [{ on: new Date(Number.NaN) }, { on: null }],
  ]) {
    const key = crypto.randomUUID();
    expect(await send(one, key)).toMatchObject({ replayed: false });
    expect(await send(one, key)).toMatchObject({ replayed: true });
    expect(await send(other, key)).toMatchObject({ problem: { spec: { code: 'idempotency_key_reused' } } });
  }
});

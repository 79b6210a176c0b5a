import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnswerCipher } from './response-cipher.ts';
import { createEngine, type Engine } from './engine.ts';
import type { KeySource } from './key-source.ts';
import type { Execution, OperationDefinition, Verdict } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { createMemoryStore } from './stores/memory.ts';
import { anOperation, openPostgresEngines } from './testing/postgres-engines.ts';

interface Stand {
  run(
    operation: OperationDefinition<unknown>,
    request: Parameters<Engine<unknown>['run']>[1],
    handler: (execution: Execution<unknown>) => Promise<Verdict<unknown, unknown>>,
  ): ReturnType<Engine<unknown>['run']>;
  /** Makes all windows that were opened so far a thing of the past. */
  endWindows(): Promise<void>;
  close(): Promise<void>;
}

async function onMemory(): Promise<Stand> {
  let now = 1_000_000;
  const store = createMemoryStore(() => now);
  const cipher = createAnswerCipher([{ id: 'test', key: randomBytes(32) }]);
  const engine = createEngine({ store, cipher, leaseMs: 2 * windowMs });
  const endWindows = async () => {
    now += windowMs;
  };
  return { run: engine.run, endWindows, close: async () => undefined };
}

async function onPostgres(): Promise<Stand> {
  const engines = await openPostgresEngines();
  const { engine, db } = engines.open();
  const endWindows = async () => {
    await db.$executeRaw`UPDATE idempotency_body_window SET ends_at = clock_timestamp()`;
  };
  return { run: engine.run, endWindows, close: engines.close };
}

const windowMs = 60_000;
const bodyKeyed = anOperation({ keySource: { from: 'body', windowMs } });
const natural: KeySource = { from: 'natural', of: (input) => (input as { invoice: string }).invoice };
const naturallyKeyed = anOperation({ keySource: natural });

describe.each([
  ['memory', onMemory],
  ['PostgreSQL', onPostgres],
])('without a key, on %s', (_, open) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await open();
  });
  afterAll(() => stand.close());

  /** A client that always wants the same, and what the operation's handler did for it. */
  function client(operation = bodyKeyed, input: object = { invoice: randomUUID() }) {
    const executed: number[] = [];
    let verdict = (n: number): Verdict<unknown, unknown> => ({
      kind: 'completed',
      status: 201,
      body: n,
      cause: 'test',
    });
    const ask = (keyHeader?: string, over: object = {}) =>
      stand.run(
        operation,
        { tenantId: 'acme', principal: 'alice', keyHeader, input: { ...input, ...over } },
        async (execution) => {
          executed.push(execution.attempt);
          await execution.phase('sent');
          return verdict(executed.length);
        },
      );
    const endWith = (next: typeof verdict) => {
      verdict = next;
    };
    return { ask, executed, endWith };
  }

  test.each([
    ['body', bodyKeyed],
    ['natural', naturallyKeyed],
  ])('twenty simultaneous callers with the same %s are one execution', async (_source, operation) => {
    const { ask, executed } = client(operation);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(executed).toHaveLength(1);
    const told = outcomes.map((one) => (one.kind === 'refused' ? one.problem.spec.code : one.kind));
    expect(new Set(told).difference(new Set(['answered', 'idempotency_key_in_progress']))).toEqual(new Set());
    expect(await ask()).toMatchObject({ kind: 'answered', replayed: true, answer: { body: '1' } });
  });

  test('the same body again within the window is replayed, in whatever order its fields come', async () => {
    const invoice = randomUUID();
    await client(bodyKeyed, { invoice, amount: 5 }).ask();
    const again = client(bodyKeyed, { amount: 5, invoice });
    expect(await again.ask()).toMatchObject({ kind: 'answered', replayed: true });
    expect(again.executed).toEqual([]);
  });

  test('the same body after the window is a new wish, once', async () => {
    const { ask, executed } = client();
    await ask();
    await stand.endWindows();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => ask()));
    expect(executed).toHaveLength(2);
    expect(outcomes.filter((one) => one.kind === 'answered' && !one.replayed)).toHaveLength(1);
    expect(await ask()).toMatchObject({ replayed: true, answer: { body: '2' } });
  });

  test('a window does not end while the outcome of its operation is unknown', async () => {
    const { ask, executed, endWith } = client();
    endWith(() => ({ kind: 'unknown', code: 'timeout' }));
    const first = await ask();
    await stand.endWindows();
    expect(await ask()).toEqual(first);
    expect(executed).toHaveLength(1);
  });

  test('a window does not end while its operation is running', async () => {
    const input = { invoice: randomUUID() };
    const request = { tenantId: 'acme', principal: 'alice', keyHeader: undefined, input };
    let twin: Outcome | undefined;
    await stand.run(bodyKeyed, request, async () => {
      await stand.endWindows();
      twin = await stand.run(bodyKeyed, request, () => Promise.reject(new Error('This must not execute.')));
      return { kind: 'completed', status: 201, body: 'first', cause: 'test' };
    });
    expect(twin).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
  });

  test('a natural key has no window', async () => {
    const { ask, executed } = client(naturallyKeyed);
    await ask();
    await stand.endWindows();
    expect(await ask()).toMatchObject({ replayed: true });
    expect(executed).toHaveLength(1);
  });

  test('an explicit key says that this one is new, and has its own retries', async () => {
    const { ask, executed } = client();
    await ask();
    const fresh = randomUUID();
    expect(await ask(fresh)).toMatchObject({ replayed: false });
    expect(await ask(fresh)).toMatchObject({ replayed: true, answer: { body: '2' } });
    expect(await ask()).toMatchObject({ replayed: true, answer: { body: '1' } });
    expect(executed).toHaveLength(2);
  });

  test('different commands differ by body, and may not share a natural key', async () => {
    const byBody = client();
    await byBody.ask();
    expect(await byBody.ask(undefined, { amount: 9 })).toMatchObject({ kind: 'answered', replayed: false });
    const byName = client(naturallyKeyed);
    await byName.ask();
    expect(await byName.ask(undefined, { amount: 9 })).toMatchObject({
      problem: { spec: { code: 'idempotency_key_reused' } },
    });
    expect(byName.executed).toHaveLength(1);
  });
});

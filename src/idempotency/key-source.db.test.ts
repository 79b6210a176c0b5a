import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from './engine.ts';
import type { KeySource } from './key-source.ts';
import type { Execution, OperationDefinition, Verdict } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { createResponseCipher } from './response-cipher.ts';
import { createMemoryStore } from './stores/memory.ts';
import { openPostgresEngines, testOperation } from './testing/postgres-engines.ts';

interface Harness {
  run(
    operation: OperationDefinition<unknown>,
    request: Parameters<Engine<unknown>['run']>[1],
    handler: (execution: Execution<unknown>) => Promise<Verdict<unknown, unknown>>,
  ): ReturnType<Engine<unknown>['run']>;
  /** Ends all windows that were opened so far. */
  endWindows(): Promise<void>;
  close(): Promise<void>;
}

async function onMemory(): Promise<Harness> {
  let now = 1_000_000;
  const store = createMemoryStore(() => now);
  const cipher = createResponseCipher([{ id: 'test', key: randomBytes(32) }]);
  const engine = createEngine({ store, cipher, leaseMs: 2 * windowMs });
  const endWindows = async () => {
    now += windowMs;
  };
  return { run: engine.run, endWindows, close: async () => undefined };
}

async function onPostgres(): Promise<Harness> {
  const engines = await openPostgresEngines();
  const { engine, db } = engines.open();
  const endWindows = async () => {
    await db.$executeRaw`UPDATE idempotency_body_window SET ends_at = clock_timestamp() WHERE tenant_id = 'acme'`;
  };
  return { run: engine.run, endWindows, close: engines.close };
}

const windowMs = 60_000;
const bodyKeyed = testOperation({ keySource: { from: 'body', windowMs } });
const natural: KeySource = { from: 'natural', keyOf: (input) => (input as { invoice: string }).invoice };
const naturallyKeyed = testOperation({ keySource: natural });

describe.each([
  ['memory', onMemory],
  ['PostgreSQL', onPostgres],
])('without a key, on %s', (_, open) => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await open();
  });
  afterAll(() => harness.close());

  /** A client that always sends the same command, and the executions that it caused. */
  function client(operation = bodyKeyed, input: object = { invoice: randomUUID() }) {
    const executed: number[] = [];
    let verdict = (n: number): Verdict<unknown, unknown> => ({
      kind: 'completed',
      status: 201,
      body: n,
      cause: 'test',
    });
    const send = (keyHeader?: string, over: object = {}) =>
      harness.run(
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
    return { send, executed, endWith };
  }

  test.each([
    ['body', bodyKeyed],
    ['natural', naturallyKeyed],
  ])('twenty simultaneous callers with the same %s are one execution', async (_source, operation) => {
    const { send, executed } = client(operation);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(executed).toHaveLength(1);
    const results = outcomes.map((one) => (one.kind === 'refused' ? one.problem.spec.code : one.kind));
    expect(new Set(results).difference(new Set(['completed', 'idempotency_key_in_progress']))).toEqual(
      new Set(),
    );
    expect(await send()).toMatchObject({ kind: 'completed', replayed: true, response: { body: '1' } });
  });

  test('the same body again within the window is replayed, also with its fields in another order', async () => {
    const invoice = randomUUID();
    await client(bodyKeyed, { invoice, amount: 5 }).send();
    const again = client(bodyKeyed, { amount: 5, invoice });
    expect(await again.send()).toMatchObject({ kind: 'completed', replayed: true });
    expect(again.executed).toEqual([]);
  });

  test('the same body after the window is a new command, executed once', async () => {
    const { send, executed } = client();
    await send();
    await harness.endWindows();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send()));
    expect(executed).toHaveLength(2);
    expect(outcomes.filter((one) => one.kind === 'completed' && !one.replayed)).toHaveLength(1);
    expect(await send()).toMatchObject({ replayed: true, response: { body: '2' } });
  });

  test('a window does not end while the outcome of its operation is unknown', async () => {
    const { send, executed, endWith } = client();
    endWith(() => ({ kind: 'unknown', code: 'timeout' }));
    const first = await send();
    await harness.endWindows();
    expect(await send()).toEqual(first);
    expect(executed).toHaveLength(1);
  });

  test('a window does not end while its operation is running', async () => {
    const input = { invoice: randomUUID() };
    const request = { tenantId: 'acme', principal: 'alice', keyHeader: undefined, input };
    let second: Outcome | undefined;
    await harness.run(bodyKeyed, request, async () => {
      await harness.endWindows();
      second = await harness.run(bodyKeyed, request, () =>
        Promise.reject(new Error('This must not execute.')),
      );
      return { kind: 'completed', status: 201, body: 'first', cause: 'test' };
    });
    expect(second).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
  });

  test('a natural key has no window', async () => {
    const { send, executed } = client(naturallyKeyed);
    await send();
    await harness.endWindows();
    expect(await send()).toMatchObject({ replayed: true });
    expect(executed).toHaveLength(1);
  });

  test('an explicit key makes the command a new one, with its own retries', async () => {
    const { send, executed } = client();
    await send();
    const fresh = randomUUID();
    expect(await send(fresh)).toMatchObject({ replayed: false });
    expect(await send(fresh)).toMatchObject({ replayed: true, response: { body: '2' } });
    expect(await send()).toMatchObject({ replayed: true, response: { body: '1' } });
    expect(executed).toHaveLength(2);
  });

  test('different commands differ by body, and may not share a natural key', async () => {
    const byBody = client();
    await byBody.send();
    expect(await byBody.send(undefined, { amount: 9 })).toMatchObject({ kind: 'completed', replayed: false });
    const byName = client(naturallyKeyed);
    await byName.send();
    expect(await byName.send(undefined, { amount: 9 })).toMatchObject({
      problem: { spec: { code: 'idempotency_key_reused' } },
    });
    expect(byName.executed).toHaveLength(1);
  });
});

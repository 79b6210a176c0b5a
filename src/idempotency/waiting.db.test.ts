import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from './operation.ts';
import type { IdempotencyStore, SettlementSignal } from './ports.ts';
import { createPostgresSignal } from './stores/postgres-signal.ts';
import {
  anOperation,
  openPostgresEngines,
  type PostgresEngine,
  type PostgresEngines,
} from './testing/postgres-engines.ts';

/** Longer than the test may take: who comes back in time was woken, and did not merely give up. */
const forEverMs = 300_000;
const patient = anOperation({ whileRunning: { kind: 'wait', maxMs: forEverMs }, leaseMs: forEverMs });

let engines: PostgresEngines;
let owner: PostgresEngine;
let waiter: PostgresEngine;
let reads: { find: number; findById: number };
/** Tells when somebody in the waiter's process begins to hold out for a notification. */
const waits = new EventEmitter();

beforeAll(async () => {
  engines = await openPostgresEngines();
  owner = engines.open();
  waiter = engines.open({ store: countingReads, signal: tellingWaits });
});
afterAll(() => engines.close());

function countingReads<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  reads = { find: 0, findById: 0 };
  return {
    ...store,
    find(scope) {
      reads.find++;
      return store.find(scope);
    },
    findById(id) {
      reads.findById++;
      return store.findById(id);
    },
  };
}

function tellingWaits(signal: SettlementSignal): SettlementSignal {
  return {
    async watch(operationId) {
      const watch = await signal.watch(operationId);
      return {
        ...watch,
        changed(withinMs) {
          const changed = watch.changed(withinMs);
          waits.emit('wait');
          return changed;
        },
      };
    },
  };
}

const anotherWait = () => once(waits, 'wait');
const done = (body: unknown): Verdict<unknown, unknown> => ({
  kind: 'completed',
  status: 201,
  body,
  cause: 'test',
});
const never = () => Promise.reject(new Error('This must not execute.'));
const newRequest = () => ({
  tenantId: 'acme',
  principal: 'alice',
  keyHeader: randomUUID(),
  input: { amount: 1 },
});

/** An operation that is being executed in the first process until it is told how to end. */
async function running(operation = patient, by = owner) {
  const request = newRequest();
  const started = Promise.withResolvers<string>();
  const verdict = Promise.withResolvers<Verdict<unknown, unknown>>();
  const outcome = by.engine.run(operation, request, async (execution) => {
    await execution.phase('sent');
    started.resolve(execution.operationId);
    return verdict.promise;
  });
  return { request, operationId: await started.promise, end: verdict.resolve, outcome };
}

async function cutTheLine(db = owner.db): Promise<void> {
  const cut = await db.$queryRaw<unknown[]>`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'paidonce-signal' AND datname = current_database()`;
  expect(cut.length).toBeGreaterThan(0);
}

describe('a request that waits for its running twin in another process', () => {
  test('is replayed by the commit that ends it, without having looked in between', async () => {
    const first = await running();
    reads.find = reads.findById = 0;
    const holdsOut = anotherWait();
    const second = waiter.engine.run(patient, first.request, never);
    await holdsOut;
    expect(reads).toEqual({ find: 1, findById: 1 });

    first.end(done({ paid: true }));
    expect(await second).toEqual({ ...(await first.outcome), replayed: true });
    expect(reads).toEqual({ find: 2, findById: 1 });
  });

  test('is woken by nothing but the end: phases and lease extensions leave it asleep', async () => {
    const request = newRequest();
    const holdsOut = anotherWait();
    let second: Promise<unknown> | undefined;
    await owner.engine.run(patient, request, async (execution) => {
      second = waiter.engine.run(patient, request, never);
      await holdsOut;
      reads.find = reads.findById = 0;
      await execution.phase('prepared');
      await execution.phase('sent');
      await execution.extendLease();
      return done('first');
    });
    expect(await second).toMatchObject({ kind: 'answered', replayed: true });
    expect(reads).toEqual({ find: 1, findById: 0 });
  });

  test('executes itself when the first ends with proof that nothing happened', async () => {
    const request = newRequest();
    const holdsOut = anotherWait();
    let second: Promise<unknown> | undefined;
    await owner.engine.run(patient, request, async () => {
      second = waiter.engine.run(patient, request, async ({ attempt }) => done({ attempt }));
      await holdsOut;
      throw new Error('nothing was sent');
    });
    expect(await second).toMatchObject({ kind: 'answered', answer: { body: '{"attempt":2}' } });
  });

  test('is told that the outcome is being checked when the first ends in doubt', async () => {
    const first = await running();
    const holdsOut = anotherWait();
    const second = waiter.engine.run(patient, first.request, never);
    await holdsOut;
    first.end({ kind: 'unknown', code: 'timeout' });
    expect(await second).toEqual({ kind: 'pending', operationId: first.operationId, why: 'unknown' });
  });

  test('is told to come back when its patience is over, and the first goes on undisturbed', async () => {
    const first = await running();
    const impatient = anOperation({ whileRunning: { kind: 'wait', maxMs: 50 } });
    const since = performance.now();
    const second = await waiter.engine.run(impatient, first.request, never);
    expect(second).toMatchObject({
      problem: { spec: { code: 'idempotency_key_in_progress' }, retryAfterSeconds: 1 },
    });
    // A timer may be early by the fraction of a millisecond that it rounds away.
    expect(performance.now() - since).toBeGreaterThan(48);
    first.end(done('first'));
    expect(await first.outcome).toMatchObject({ kind: 'answered', replayed: false });
  });

  test('hears of the end although the line was cut and nothing was heard meanwhile', async () => {
    const first = await running();
    const holdsOut = anotherWait();
    const second = waiter.engine.run(patient, first.request, never);
    await holdsOut;
    await cutTheLine();
    first.end(done('first'));
    expect(await second).toMatchObject({ kind: 'answered', replayed: true });
  });

  test('listens again after the line was cut', async () => {
    const first = await running();
    const holdsOut = anotherWait();
    const second = waiter.engine.run(patient, first.request, never);
    await holdsOut;
    const holdsOutAgain = anotherWait();
    await cutTheLine();
    await holdsOutAgain;
    first.end(done('first'));
    expect(await second).toMatchObject({ kind: 'answered', replayed: true });
  });
});

test('an operation that answers "accepted" makes nobody wait: its twin is pending, and running', async () => {
  const accepting = anOperation({ whileRunning: { kind: 'accepted' } });
  const first = await running(accepting);
  expect(await waiter.engine.run(accepting, first.request, never)).toEqual({
    kind: 'pending',
    operationId: first.operationId,
    why: 'running',
  });
  first.end(done('first'));
  await first.outcome;
});

describe('an owner that waits for the provider', () => {
  /** The provider that never answers. */
  const silence = new Promise<never>(() => undefined);

  /** Runs in the process whose waits are counted. */
  function waitingForEver(request = newRequest()) {
    const started = Promise.withResolvers<string>();
    const outcome = waiter.engine.run(patient, request, async (execution) => {
      await execution.phase('sent');
      started.resolve(execution.operationId);
      return execution.unlessSettled(silence);
    });
    return { outcome, started: started.promise };
  }

  /** What a webhook does, in another process. */
  async function settle(operationId: string, verdict = done({ by: 'webhook' })): Promise<void> {
    const record = await owner.store.findById(operationId);
    if (!record || verdict.kind === 'unknown') throw new Error('nothing to settle');
    expect(await owner.engine.settle(patient, record, verdict, 'webhook')).toMatchObject({
      status: 'completed',
    });
  }

  const settled = { kind: 'answered', replayed: true, answer: { status: 201, body: '{"by":"webhook"}' } };

  test('stops waiting at once when a webhook settles the operation, and its caller gets that answer', async () => {
    const holdsOut = anotherWait();
    const waiting = waitingForEver();
    await holdsOut;
    await settle(await waiting.started);
    expect(await waiting.outcome).toMatchObject(settled);
  });

  test('does not wait at all for what was settled before it began to listen', async () => {
    const request = newRequest();
    const outcome = waiter.engine.run(patient, request, async (execution) => {
      await execution.phase('sent');
      await settle(execution.operationId);
      return execution.unlessSettled(silence);
    });
    expect(await outcome).toMatchObject(settled);
  });

  test('goes on waiting while others merely doubt it, and may still settle', async () => {
    const provider = Promise.withResolvers<Verdict<unknown, unknown>>();
    const holdsOut = anotherWait();
    const outcome = waiter.engine.run(patient, newRequest(), async (execution) => {
      await execution.phase('sent');
      return execution.unlessSettled(provider.promise);
    });
    await holdsOut;
    const holdsOutAgain = anotherWait();
    await owner.db.$executeRaw`UPDATE idempotency_record SET status = 'unknown', lease_until = NULL
      WHERE status = 'in_progress'`;
    await holdsOutAgain;
    provider.resolve(done('late but true'));
    expect(await outcome).toMatchObject({ kind: 'answered', replayed: false });
  });

  test('hears of the webhook although the line was cut before', async () => {
    const holdsOut = anotherWait();
    const waiting = waitingForEver();
    await holdsOut;
    const holdsOutAgain = anotherWait();
    await cutTheLine();
    await holdsOutAgain;
    await settle(await waiting.started);
    expect(await waiting.outcome).toMatchObject(settled);
  });

  test('work that fails while the line is being opened fails the handler, not the process', async () => {
    const broken = new Error('ECONNRESET');
    const lone = engines.open();
    const outcome = await lone.engine.run(patient, newRequest(), async (execution) => {
      await execution.phase('sent');
      return execution.unlessSettled(Promise.reject(broken));
    });
    expect(outcome).toMatchObject({ kind: 'pending', why: 'unknown' });
    expect(lone.events).toContainEqual(expect.objectContaining({ kind: 'handler_error', error: broken }));
  });
});

test('a line that is cut is replaced by exactly one other, however soon the next watch comes', async () => {
  const own = await openPostgresEngines();
  const { db } = own.open();
  const signal = createPostgresSignal(own.url);
  const woken = (await signal.watch('any')).changed(forEverMs);
  await cutTheLine(db);
  expect(await woken).toBe(true);
  // At this moment the lost connection has said that it failed, but not yet that it is closed.
  await signal.watch('any');
  await signal.watch('another');
  await signal.close();
  // Closing the database fails if a second line was opened and forgotten.
  await own.close();
});

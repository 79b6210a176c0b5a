import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from './operation.ts';
import type { ChangeSignal, ChangeWatch, IdempotencyStore } from './ports.ts';
import type { OperationRef } from './record.ts';
import { createListener } from './stores/postgres-listener.ts';
import { createPostgresSignal } from './stores/postgres-signal.ts';
import {
  openPostgresEngines,
  type PostgresEngine,
  type PostgresEngines,
  testOperation,
} from './testing/postgres-engines.ts';

/** Longer than a test may take, so a request that returns was woken and did not time out. */
const foreverMs = 300_000;
const waitingOperation = testOperation({
  concurrentRequestPolicy: { kind: 'wait', maxMs: foreverMs },
  leaseMs: foreverMs,
});

let engines: PostgresEngines;
let owner: PostgresEngine;
let waiter: PostgresEngine;
let reads: { claim: number; findById: number };
/** Emits `wait` when a request in the waiter's process begins to wait for a notification. */
const waits = new EventEmitter();

beforeAll(async () => {
  engines = await openPostgresEngines();
  owner = engines.open();
  waiter = engines.open({ store: countingReads, signal: emittingWaits });
});
afterAll(() => engines.close());

function countingReads<Tx>(store: IdempotencyStore<Tx>): IdempotencyStore<Tx> {
  reads = { claim: 0, findById: 0 };
  return {
    ...store,
    claim(claim) {
      reads.claim++;
      return store.claim(claim);
    },
    findById(ref) {
      reads.findById++;
      return store.findById(ref);
    },
  };
}

function emittingWaits(signal: ChangeSignal): ChangeSignal {
  return {
    ...signal,
    watch: async (topic) => emitting(await signal.watch(topic)),
    watchNow: (topic) => {
      const watch = signal.watchNow(topic);
      return watch && emitting(watch);
    },
  };
}

function emitting(watch: ChangeWatch): ChangeWatch {
  return {
    ...watch,
    changed(withinMs) {
      const changed = watch.changed(withinMs);
      waits.emit('wait');
      return changed;
    },
  };
}

const nextWait = () => once(waits, 'wait');
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

/** Starts an operation in the first process. It executes until the test ends it. */
async function startOperation(operation = waitingOperation, by = owner) {
  const request = newRequest();
  const started = Promise.withResolvers<OperationRef>();
  const verdict = Promise.withResolvers<Verdict<unknown, unknown>>();
  const outcome = by.engine.run(operation, request, async (execution) => {
    await execution.phase('sent');
    started.resolve(execution.ref);
    return verdict.promise;
  });
  const { id: operationId } = await started.promise;
  return { request, operationId, end: verdict.resolve, outcome };
}

async function cutConnections(db = owner.db): Promise<void> {
  const cut = await db.$queryRaw<unknown[]>`
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE application_name = 'paidonce-listen' AND datname = current_database()`;
  expect(cut.length).toBeGreaterThan(0);
}

describe('a request that waits for a running one with the same key in another process', () => {
  test('is replayed by the commit that ends it, without reading in between', async () => {
    const first = await startOperation();
    reads.claim = reads.findById = 0;
    const waitStarted = nextWait();
    const second = waiter.engine.run(waitingOperation, first.request, never);
    await waitStarted;
    expect(reads).toEqual({ claim: 1, findById: 1 });

    first.end(done({ paid: true }));
    expect(await second).toEqual({ ...(await first.outcome), replayed: true });
    expect(reads).toEqual({ claim: 2, findById: 1 });
  });

  test('is woken only by a change of status: phases and lease extensions do not wake it', async () => {
    const request = newRequest();
    const waitStarted = nextWait();
    let second: Promise<unknown> | undefined;
    await owner.engine.run(waitingOperation, request, async (execution) => {
      second = waiter.engine.run(waitingOperation, request, never);
      await waitStarted;
      reads.claim = reads.findById = 0;
      await execution.phase('prepared');
      await execution.phase('sent');
      await execution.extendLease();
      return done('first');
    });
    expect(await second).toMatchObject({ kind: 'completed', replayed: true });
    expect(reads).toEqual({ claim: 1, findById: 0 });
  });

  test('executes when the first ends with proof that nothing happened', async () => {
    const request = newRequest();
    const waitStarted = nextWait();
    let second: Promise<unknown> | undefined;
    await owner.engine.run(waitingOperation, request, async () => {
      second = waiter.engine.run(waitingOperation, request, async ({ attempt }) => done({ attempt }));
      await waitStarted;
      throw new Error('nothing was sent');
    });
    expect(await second).toMatchObject({ kind: 'completed', response: { body: '{"attempt":2}' } });
  });

  test('is pending when the outcome of the first becomes unknown', async () => {
    const first = await startOperation();
    const waitStarted = nextWait();
    const second = waiter.engine.run(waitingOperation, first.request, never);
    await waitStarted;
    first.end({ kind: 'unknown', code: 'timeout' });
    expect(await second).toEqual({ kind: 'pending', operationId: first.operationId, status: 'unknown' });
  });

  test('gets 409 when its wait times out, and the first goes on undisturbed', async () => {
    const first = await startOperation();
    const shortWait = testOperation({ concurrentRequestPolicy: { kind: 'wait', maxMs: 50 } });
    const since = performance.now();
    const second = await waiter.engine.run(shortWait, first.request, never);
    expect(second).toMatchObject({
      problem: { spec: { code: 'idempotency_key_in_progress' }, retryAfterSeconds: 1 },
    });
    // A timer may be early by the fraction of a millisecond that it rounds away.
    expect(performance.now() - since).toBeGreaterThan(48);
    first.end(done('first'));
    expect(await first.outcome).toMatchObject({ kind: 'completed', replayed: false });
  });

  test('is woken when the connection is lost, and finds the end that it was not notified of', async () => {
    const first = await startOperation();
    const waitStarted = nextWait();
    const second = waiter.engine.run(waitingOperation, first.request, never);
    await waitStarted;
    await cutConnections();
    first.end(done('first'));
    expect(await second).toMatchObject({ kind: 'completed', replayed: true });
  });

  test('listens again after the connection was lost', async () => {
    const first = await startOperation();
    const waitStarted = nextWait();
    const second = waiter.engine.run(waitingOperation, first.request, never);
    await waitStarted;
    const nextWaitStarted = nextWait();
    await cutConnections();
    await nextWaitStarted;
    first.end(done('first'));
    expect(await second).toMatchObject({ kind: 'completed', replayed: true });
  });
});

test('with the policy "accepted" a second request does not wait: it is pending, and running', async () => {
  const accepting = testOperation({ concurrentRequestPolicy: { kind: 'accepted' } });
  const first = await startOperation(accepting);
  expect(await waiter.engine.run(accepting, first.request, never)).toEqual({
    kind: 'pending',
    operationId: first.operationId,
    status: 'in_progress',
  });
  first.end(done('first'));
  await first.outcome;
});

describe('an owner that waits for the provider', () => {
  /** A provider that never responds. */
  const noResponse = new Promise<never>(() => undefined);

  /** Runs in the process that emits `wait`. */
  function waitForever(request = newRequest()) {
    const started = Promise.withResolvers<OperationRef>();
    const outcome = waiter.engine.run(waitingOperation, request, async (execution) => {
      await execution.phase('sent');
      started.resolve(execution.ref);
      return execution.unlessResolved(noResponse);
    });
    return { outcome, started: started.promise };
  }

  /** What a webhook does, in another process. */
  async function resolve(ref: OperationRef, verdict = done({ by: 'webhook' })): Promise<void> {
    const record = await owner.store.findById(ref);
    if (!record || verdict.kind === 'unknown') throw new Error('nothing to resolve');
    expect(await owner.engine.resolve(waitingOperation, record, verdict, 'webhook')).toMatchObject({
      status: 'completed',
    });
  }

  const resolved = { kind: 'completed', replayed: true, response: { status: 201, body: '{"by":"webhook"}' } };

  test('stops waiting at once when a webhook resolves the operation, and its caller gets that response', async () => {
    const waitStarted = nextWait();
    const waiting = waitForever();
    await waitStarted;
    await resolve(await waiting.started);
    expect(await waiting.outcome).toMatchObject(resolved);
  });

  test('does not wait at all when the operation was resolved before it began to listen', async () => {
    const request = newRequest();
    const outcome = waiter.engine.run(waitingOperation, request, async (execution) => {
      await execution.phase('sent');
      await resolve(execution.ref);
      return execution.unlessResolved(noResponse);
    });
    expect(await outcome).toMatchObject(resolved);
  });

  test('goes on waiting when the operation is marked unknown, and may still resolve it', async () => {
    const provider = Promise.withResolvers<Verdict<unknown, unknown>>();
    const waitStarted = nextWait();
    const outcome = waiter.engine.run(waitingOperation, newRequest(), async (execution) => {
      await execution.phase('sent');
      return execution.unlessResolved(provider.promise);
    });
    await waitStarted;
    const nextWaitStarted = nextWait();
    await owner.db.$executeRaw`
      WITH marked AS (
        UPDATE idempotency_record SET status = 'unknown', lease_until = NULL, unknown_since = now()
        WHERE tenant_id = 'acme' AND status = 'in_progress' RETURNING id, tenant_id)
      SELECT pg_notify('paidonce_operation', id || ':' || tenant_id) FROM marked`;
    await nextWaitStarted;
    provider.resolve(done('late'));
    expect(await outcome).toMatchObject({ kind: 'completed', replayed: false });
  });

  test('learns of the webhook although the connection was lost before', async () => {
    const waitStarted = nextWait();
    const waiting = waitForever();
    await waitStarted;
    const nextWaitStarted = nextWait();
    await cutConnections();
    await nextWaitStarted;
    await resolve(await waiting.started);
    expect(await waiting.outcome).toMatchObject(resolved);
  });

  test('work that fails while the signal is connecting fails the handler, not the process', async () => {
    const broken = new Error('ECONNRESET');
    const lone = engines.open();
    const outcome = await lone.engine.run(waitingOperation, newRequest(), async (execution) => {
      await execution.phase('sent');
      return execution.unlessResolved(Promise.reject(broken));
    });
    expect(outcome).toMatchObject({ kind: 'pending', status: 'unknown' });
    expect(lone.events).toContainEqual(expect.objectContaining({ kind: 'handler_error', error: broken }));
  });
});

test('a lost connection is replaced by exactly one other, however soon the next watch comes', async () => {
  const own = await openPostgresEngines();
  const { db } = own.open();
  const listener = createListener(own.url);
  const signal = createPostgresSignal(listener);
  const woken = (await signal.watch('any')).changed(foreverMs);
  await cutConnections(db);
  expect(await woken).toBe(true);
  // At this moment the lost connection has emitted error, but not yet end.
  await signal.watch('any');
  await signal.watch('another');
  await listener.close();
  // Dropping the database fails if a second connection was left open.
  await own.close();
});

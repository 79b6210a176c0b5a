import { describe, expect, test, vi } from 'vitest';
import { type Execution, Superseded, type Verdict } from './operation.ts';
import { operationRefOf } from './operation-id.ts';
import { type IdempotencyStore, RolledBack, StoreUnavailable } from './ports.ts';
import { idempotencyProblems } from './problems.ts';
import type { MemoryTx } from './stores/memory.ts';
import { completed, createEngineUnderTest, operation, request } from './testing/engine-under-test.ts';

const retryable: Verdict<never, MemoryTx> = {
  kind: 'failed_retryable',
  problem: { spec: idempotencyProblems.operation_failed },
};

/** The tenant of `request()`. */
const refOf = ({ operationId }: { operationId: string }) => ({ tenantId: 'acme', id: operationId });

describe('a second request with the same key', () => {
  test('replays a completed response byte for byte and does not execute', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const first = await engine.run(operation, same, async () => completed({ id: 'p1', note: 'ünïcode' }));
    const handler = vi.fn(async () => completed({ id: 'p2' }));
    const second = await engine.run(operation, same, handler);
    expect(handler).not.toHaveBeenCalled();
    expect(second).toEqual({ ...first, replayed: true });
  });

  test('reordered fields are the same command', async () => {
    const { engine } = createEngineUnderTest();
    const same = request({ input: { a: 1, b: { c: 2, d: 3 } } });
    await engine.run(operation, same, async () => completed('first'));
    const again = await engine.run(operation, { ...same, input: { b: { d: 3, c: 2 }, a: 1 } }, async () =>
      completed('second'),
    );
    expect(again).toMatchObject({ kind: 'completed', replayed: true, response: { body: '"first"' } });
  });

  test('gets 409 while the first is running', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const inside = await engine.run(operation, same, async () => {
      const second = await engine.run(operation, same, async () => completed('never'));
      expect(second).toMatchObject({
        kind: 'refused',
        problem: { spec: { code: 'idempotency_key_in_progress' }, retryAfterSeconds: 1 },
      });
      return completed('first');
    });
    expect(inside).toMatchObject({ kind: 'completed', replayed: false });
  });

  test('is pending while the outcome is unknown, and never executes', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const first = await engine.run(operation, same, async () => ({ kind: 'unknown', code: 'timeout' }));
    const handler = vi.fn(async () => completed('never'));
    expect(await engine.run(operation, same, handler)).toEqual(first);
    expect(first.kind).toBe('pending');
    expect(handler).not.toHaveBeenCalled();
  });

  test('executes again, as the next attempt, when it is proven that nothing happened', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    expect(await engine.run(operation, same, async () => retryable)).toMatchObject({ kind: 'refused' });
    const again = await engine.run(operation, same, async ({ attempt }) => completed({ attempt }));
    expect(again).toMatchObject({ kind: 'completed', replayed: false, response: { body: '{"attempt":2}' } });
  });
});

describe('the same key for something else', () => {
  const misuse = { kind: 'refused', problem: { spec: idempotencyProblems.idempotency_key_reused } };
  const states = [
    ['completed', async () => completed('secret')],
    ['failed_retryable', async () => retryable],
    ['unknown', async () => ({ kind: 'unknown', code: 'x' }) as const],
  ] as const;

  test.each(states)(
    'is refused in state %s, for another command and for another principal alike',
    async (_, handler) => {
      const { engine, events } = createEngineUnderTest();
      const first = request();
      await engine.run(operation, first, handler);
      const execute = vi.fn(async () => completed('never'));
      const otherCommand = await engine.run(operation, { ...first, input: { amount: 9000 } }, execute);
      const otherPrincipal = await engine.run(operation, { ...first, principal: 'mallory' }, execute);
      expect(otherCommand).toEqual(misuse);
      expect(otherPrincipal).toEqual(misuse);
      expect(execute).not.toHaveBeenCalled();
      expect(
        events.filter((event) => event.kind === 'reserve' && event.outcome === 'key_misuse'),
      ).toHaveLength(2);
    },
  );

  test('is recorded with the names of the fields that differed, or as another principal; never with a value', async () => {
    const { engine, store } = createEngineUnderTest();
    const first = request({ input: { amount: 1000, card: 'pm_1', note: 'x' } });
    const run = (over: object) =>
      engine.run(operation, { ...first, ...over }, async () => completed('first'));
    await run({});
    await run({ input: { amount: 9000, card: 'pm_1', note: 'y' } });
    await run({ input: { amount: 7000, card: 'pm_1', note: 'z' } });
    await run({ principal: 'mallory', input: { amount: 1 } });
    const scope = { tenantId: 'acme', operation: operation.name, key: first.keyHeader };
    const record = await store.findById(operationRefOf(scope));
    if (!record) throw new Error('expected a record');
    const recorded = await store.listMisuses(record);
    expect(recorded).toHaveLength(2);
    expect(recorded).toContainEqual(
      expect.objectContaining({ kind: 'command', fields: ['amount', 'note'], times: 2 }),
    );
    expect(recorded).toContainEqual(expect.objectContaining({ kind: 'principal', fields: [], times: 1 }));
    expect(JSON.stringify([record.fieldDigests, recorded])).not.toMatch(/1000|9000|7000|pm_1|mallory/);
  });

  test('gets the same response when it cannot be recorded', async () => {
    const recordMisuse = () => Promise.reject(new StoreUnavailable(new Error('gone')));
    const { engine, events } = createEngineUnderTest((store) => ({ ...store, recordMisuse }));
    const first = request();
    await engine.run(operation, first, async () => completed('first'));
    const other = await engine.run(operation, { ...first, input: { amount: 9000 } }, async () =>
      completed('no'),
    );
    expect(other).toEqual(misuse);
    expect(events.map(({ kind }) => kind)).toContain('store_error');
  });

  test('is refused while the first is running', async () => {
    const { engine } = createEngineUnderTest();
    const first = request();
    let other: unknown;
    await engine.run(operation, first, async () => {
      other = await engine.run(operation, { ...first, input: { amount: 9000 } }, async () =>
        completed('never'),
      );
      return completed('first');
    });
    expect(other).toEqual(misuse);
  });

  test('is a fresh start in another tenant', async () => {
    const { engine } = createEngineUnderTest();
    const first = request();
    await engine.run(operation, first, async () => completed('acme'));
    const other = await engine.run(operation, { ...first, tenantId: 'globex' }, async () =>
      completed('globex'),
    );
    expect(other).toMatchObject({ kind: 'completed', replayed: false, response: { body: '"globex"' } });
  });
});

describe('a handler that throws', () => {
  test('leaves the outcome unknown once something may have been sent', async () => {
    const { engine, store } = createEngineUnderTest();
    const outcome = await engine.run(operation, request(), async (execution) => {
      await execution.phase('sent');
      throw new Error('socket hang up');
    });
    if (outcome.kind !== 'pending') throw new Error('expected pending');
    expect(await store.findById(refOf(outcome))).toMatchObject({ status: 'unknown' });
  });

  test('leaves the key retryable while the recovery point proves that nothing was sent', async () => {
    const { engine } = createEngineUnderTest();
    const same = request();
    const first = await engine.run(operation, same, async (execution) => {
      await execution.phase('prepared');
      throw new Error('boom');
    });
    expect(first).toMatchObject({ kind: 'refused', problem: { spec: { code: 'operation_failed' } } });
    const second = await engine.run(operation, same, async ({ recoveryPoint }) =>
      completed({ recoveryPoint }),
    );
    expect(second).toMatchObject({ response: { body: '{"recoveryPoint":"prepared"}' } });
  });

  test('is unknown from the start when the operation declares no recovery points', async () => {
    const { engine } = createEngineUnderTest();
    const { recoveryPoints: _, ...undeclared } = operation;
    const outcome = await engine.run(undeclared, request(), async () => {
      throw new Error('boom');
    });
    expect(outcome.kind).toBe('pending');
  });
});

describe("an operation's own failure policy", () => {
  const withPolicy = (failurePolicy: NonNullable<typeof operation.failurePolicy>) => ({
    ...operation,
    failurePolicy,
  });

  test('may declare that nothing happened, although something was sent', async () => {
    const { engine, store } = createEngineUnderTest();
    const known = withPolicy((error) => (String(error).includes('refused') ? 'retryable' : 'unknown'));
    const same = request();
    const outcome = await engine.run(known, same, async (execution) => {
      await execution.phase('sent');
      throw new Error('refused before it was read');
    });
    expect(outcome).toMatchObject({ kind: 'refused', problem: { spec: { code: 'operation_failed' } } });
    const record = await store.findById(
      operationRefOf({ tenantId: 'acme', operation: operation.name, key: same.keyHeader }),
    );
    expect(record).toMatchObject({ status: 'failed_retryable', recoveryPoint: 'claimed', effectSent: false });
  });

  test('may be more careful than the recovery point', async () => {
    const { engine } = createEngineUnderTest();
    const outcome = await engine.run(
      withPolicy(() => 'unknown'),
      request(),
      async () => {
        throw new Error('boom');
      },
    );
    expect(outcome.kind).toBe('pending');
  });
});

describe('an owner whose lease has expired', () => {
  test('makes the outcome unknown for the next request, which does not execute', async () => {
    const { engine, advance } = createEngineUnderTest();
    const same = request();
    const handler = vi.fn(async () => completed('never'));
    let next: unknown;
    await engine.run(operation, same, async (execution) => {
      await execution.phase('sent');
      advance(31_000);
      next = await engine.run(operation, same, handler);
      return completed('late');
    });
    expect(next).toMatchObject({ kind: 'pending' });
    expect(handler).not.toHaveBeenCalled();
  });

  test('may still resolve an operation that was marked unknown, if its attempt is the current one', async () => {
    const { engine, advance } = createEngineUnderTest();
    const same = request();
    const outcome = await engine.run(operation, same, async (execution) => {
      await execution.phase('sent');
      advance(31_000);
      await engine.run(operation, same, async () => completed('never'));
      return completed('late');
    });
    expect(outcome).toMatchObject({ kind: 'completed', response: { body: '"late"' } });
    expect(await engine.run(operation, same, async () => completed('never'))).toMatchObject({
      replayed: true,
    });
  });

  test('writes nothing once it was superseded: its phase throws, the refusal is counted, its caller gets the stored response', async () => {
    const { engine, events, advance } = createEngineUnderTest();
    const same = request();
    const superseded = await engine.run(operation, same, async (execution) => {
      await execution.phase('prepared');
      advance(31_000);
      // Nothing was sent, so the retry may execute; it finishes as attempt 2.
      await engine.run(operation, same, async ({ attempt }) => completed({ by: attempt }));
      await expect(execution.phase('sent')).rejects.toBeInstanceOf(Superseded);
      return completed({ by: execution.attempt });
    });
    expect(superseded).toMatchObject({ kind: 'completed', replayed: true, response: { body: '{"by":2}' } });
    expect(events.filter((event) => event.kind === 'stale_write_refused')).toHaveLength(1);
  });

  test('does not execute in the place of a later attempt that began before it had read its own grant', async () => {
    let beforeRead: (() => Promise<void>) | undefined;
    const { engine, advance } = createEngineUnderTest((store) => ({
      ...store,
      async findById(ref) {
        await beforeRead?.();
        return store.findById(ref);
      },
    }));
    const same = request();
    await engine.run(operation, same, async () => retryable);
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let later: ReturnType<typeof engine.run> | undefined;
    beforeRead = async () => {
      beforeRead = undefined;
      advance(30_001);
      later = engine.run(operation, same, async ({ attempt }) => {
        begun.resolve();
        await ended.promise;
        return completed({ attempt });
      });
      await begun.promise;
    };
    const handler = vi.fn(async () => completed('never'));
    expect(await engine.run(operation, same, handler)).toMatchObject({
      problem: { spec: { code: 'idempotency_key_in_progress' } },
    });
    expect(handler).not.toHaveBeenCalled();
    ended.resolve();
    expect(await later).toMatchObject({ kind: 'completed', response: { body: '{"attempt":3}' } });
  });

  test('sends nothing after a phase during which its process was frozen for longer than the lease', async () => {
    let [now, sent] = [0, false];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const { engine } = createEngineUnderTest((store) => ({
      ...store,
      async transition(transition, writes) {
        const changed = await store.transition(transition, writes);
        if (transition.recoveryPoint === 'sent') now += 30_000;
        return changed;
      },
    }));
    const frozen = await engine.run(operation, request(), async (execution) => {
      await execution.phase('sent');
      sent = true;
      return completed('never');
    });
    clock.mockRestore();
    expect(sent).toBe(false);
    expect(frozen).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
  });

  test('keeps its lease alive by extending it', async () => {
    const { engine, advance } = createEngineUnderTest();
    const same = request();
    let other: unknown;
    await engine.run(operation, same, async (execution) => {
      await execution.phase('sent');
      advance(20_000);
      await execution.extendLease();
      advance(20_000);
      other = await engine.run(operation, same, async () => completed('never'));
      return completed('in time');
    });
    expect(other).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
  });
});

describe('fail closed', () => {
  const down =
    (method: keyof IdempotencyStore<MemoryTx>, when: () => boolean) =>
    (store: IdempotencyStore<MemoryTx>) => ({
      ...store,
      [method]: (...args: never[]) => {
        if (when()) return Promise.reject(new StoreUnavailable(new Error('ECONNREFUSED')));
        return (store[method] as (...args: never[]) => unknown)(...args);
      },
    });

  test('store down at claim: 503, and the handler never runs', async () => {
    const { engine } = createEngineUnderTest(down('claim', () => true));
    const handler = vi.fn(async () => completed('never'));
    const outcome = await engine.run(operation, request(), handler);
    expect(outcome).toMatchObject({
      kind: 'refused',
      problem: { spec: { http: 503 }, retryAfterSeconds: 2 },
    });
    expect(handler).not.toHaveBeenCalled();
  });

  test('a phase that the store rolled back before anything was sent releases the key at once', async () => {
    let clashes = 1;
    const { engine } = createEngineUnderTest((store) => ({
      ...store,
      async transition(transition, writes) {
        if (transition.recoveryPoint === 'prepared' && clashes-- > 0)
          throw new RolledBack(new Error('deadlock'));
        return store.transition(transition, writes);
      },
    }));
    const same = request();
    const handler = async (execution: Execution<MemoryTx>) => {
      await execution.phase('prepared');
      return completed('done');
    };
    expect(await engine.run(operation, same, handler)).toMatchObject({
      kind: 'refused',
      problem: { spec: { code: 'idempotency_store_unavailable', http: 503 }, retryAfterSeconds: 2 },
      thrown: { error: expect.any(RolledBack) },
    });
    expect(await engine.run(operation, same, handler)).toMatchObject({ kind: 'completed', replayed: false });
  });

  test('store down at finish: no caller gets a failure, and the record is left for reconciliation', async () => {
    let broken = false;
    const { engine, store } = createEngineUnderTest(down('transition', () => broken));
    const outcome = await engine.run(operation, request(), async (execution) => {
      await execution.phase('sent');
      broken = true;
      return completed('charged');
    });
    if (outcome.kind !== 'pending') throw new Error('expected pending');
    expect(await store.findById(refOf(outcome))).toMatchObject({
      status: 'in_progress',
      effectSent: true,
    });
  });
});

describe('a verdict that cannot be written', () => {
  const deadlock = Object.assign(new Error('deadlock detected'), { code: 'P2034' });
  const failing = (isDue: () => boolean) => (store: IdempotencyStore<MemoryTx>) => ({
    ...store,
    transition: (...args: Parameters<typeof store.transition>) =>
      isDue() ? Promise.reject(deadlock) : store.transition(...args),
  });

  test('after something was sent: unknown, observed, and left for reconciliation', async () => {
    let resolving = false;
    const { engine, store, events, advance } = createEngineUnderTest(failing(() => resolving));
    const same = request();
    const outcome = await engine.run(operation, same, async (execution) => {
      await execution.phase('sent');
      resolving = true;
      return completed('charged');
    });
    if (outcome.kind !== 'pending') throw new Error(`expected pending, got ${outcome.kind}`);
    expect(outcome.status).toBe('unknown');
    const { operationId } = outcome;
    expect(events.filter(({ kind }) => kind === 'handler_error')).toMatchObject([{ operationId }]);
    expect(await store.findById(refOf(outcome))).toMatchObject({ status: 'in_progress', effectSent: true });

    resolving = false;
    advance(31_000);
    const handler = vi.fn(async () => completed('never'));
    expect(await engine.run(operation, same, handler)).toEqual(outcome);
    expect(handler).not.toHaveBeenCalled();
    expect(await store.findById(refOf(outcome))).toMatchObject({ status: 'unknown' });
  });

  test('before anything was sent: the error is thrown as it is', async () => {
    let resolving = false;
    const { engine } = createEngineUnderTest(failing(() => resolving));
    const run = engine.run(operation, request(), async (execution) => {
      await execution.phase('prepared');
      resolving = true;
      return completed('nothing sent');
    });
    await expect(run).rejects.toBe(deadlock);
  });
});

test('responses are unreadable in the store', async () => {
  const { engine, store } = createEngineUnderTest();
  const same = request();
  await engine.run(operation, same, async () => completed({ secret: 'cardholder' }));
  const record = await store.findById(
    operationRefOf({
      tenantId: same.tenantId,
      operation: operation.name,
      key: same.keyHeader,
    }),
  );
  expect(Buffer.from(record?.response?.body ?? []).toString('latin1')).not.toContain('cardholder');
  expect(record?.response?.body.length).toBeGreaterThan(0);
});

test('a superseded owner never gets the response of a later command, to which its deleted record gave way', async () => {
  const { engine, store, advance } = createEngineUnderTest();
  const mine = request({ input: { amount: 1 } });
  const outcome = await engine.run(operation, mine, async ({ ref }) => {
    const record = await store.findById(ref);
    if (!record) throw new Error('Expected the record.');
    await engine.resolve(operation, record, completed({ amount: 1 }), 'webhook');
    advance(operation.retention.metadataMs);
    for (const step of ['purge_body', 'expire', 'delete'] as const) await store.reap(step, 10);
    await engine.run(operation, { ...mine, input: { amount: 9 } }, async () => completed({ amount: 9 }));
    return completed({ amount: 1 });
  });
  expect(outcome).toMatchObject({ problem: { spec: { code: 'idempotency_key_in_progress' } } });
});

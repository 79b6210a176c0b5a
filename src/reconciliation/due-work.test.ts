import { expect, test } from 'vitest';
import type { OperationRecord } from '#idempotency/index.ts';
import { createMemoryStore } from '#idempotency/stores/memory.ts';
import { anOperation } from '#idempotency/testing/postgres-engines.ts';
import { claim, move, must } from '#idempotency/testing/store-contract.ts';
import type { Circuit } from './circuit.ts';
import { createDueWork, type DueEvent } from './due-work.ts';
import type { Reconciled } from './reconcile.ts';

const day = 24 * 3_600_000;
const nothing: Reconciled = { kind: 'still_unknown', code: 'provider_processing' };
const trouble: Reconciled = { kind: 'still_unknown', code: 'provider_timeout' };

/** The poller and the sweeper over a store in memory, with a clock that the test winds. */
function createStand(over: { circuit?: Partial<Circuit>; pausesMs?: readonly number[] } = {}) {
  let now = 0;
  let found: (record: string) => Promise<Reconciled> | Reconciled = () => nothing;
  const store = createMemoryStore(() => now);
  const operation = anOperation(over.pausesMs && { reconcilePausesMs: over.pausesMs });
  const events: DueEvent[] = [];
  const looks: { id: string; at: number }[] = [];
  const alerts: string[] = [];
  const calls = { failed: 0, succeeded: 0 };
  const parts = {
    queue: store,
    engine: {
      doubt: async (_: unknown, record: OperationRecord) =>
        store.move({ ...move(record, 'unknown'), reconcileInMs: 0 }),
    },
    operations: [operation],
    reconciler: {
      async reconcile(id: string) {
        looks.push({ id, at: now });
        return found(id);
      },
    },
    circuit: {
      permits: async () => 'all' as const,
      succeeded: async () => {
        calls.succeeded += 1;
        return 'was_closed' as const;
      },
      failed: async () => {
        calls.failed += 1;
      },
      pause: async () => undefined,
      ...over.circuit,
    },
    holdMs: 30_000,
    ping: async () => true,
    alert: async ({ id }: OperationRecord) => {
      alerts.push(id);
    },
    observe: (event: DueEvent) => events.push(event),
  };
  return {
    store,
    parts,
    work: createDueWork(parts),
    events,
    looks,
    alerts,
    calls,
    finds(answer: typeof found) {
      found = answer;
    },
    pass(ms: number) {
      now += ms;
    },
    async unknown(reconcileInMs = 0): Promise<string> {
      const record = must(await store.insert(claim()));
      return must(await store.move({ ...move(record, 'unknown'), reconcileInMs })).id;
    },
  };
}

test('an outcome that nobody can tell is looked into by the schedule of its operation, then a person is told, once', async () => {
  const pausesMs = [5_000, 60_000, 3_600_000, day];
  const stand = createStand({ pausesMs });
  const id = await stand.unknown(2_000);
  for (let second = 0; second < 2 * day; second += 1_000) {
    stand.pass(1_000);
    await stand.work.poll(8);
  }
  expect(stand.looks).toHaveLength(pausesMs.length + 1);
  for (const [index, pause] of [2_000, ...pausesMs].entries()) {
    const waited = (stand.looks[index]?.at ?? 0) - (stand.looks[index - 1]?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(0.8 * pause);
    expect(waited).toBeLessThanOrEqual(1.2 * pause + 1_000);
  }
  expect(stand.alerts).toEqual([id]);
  expect(stand.events).toEqual([
    { kind: 'exhausted', operation: 'test.run', operationId: id, tenantId: 'acme', checks: 5 },
  ]);
  expect(await stand.store.findById(id)).toMatchObject({ status: 'unknown' });
});

test('a person who could not be told is told at the next look: nothing leaves the queue before that', async () => {
  const stand = createStand({ pausesMs: [] });
  const id = await stand.unknown();
  const { alert } = stand.parts;
  let reachable = false;
  const work = createDueWork({
    ...stand.parts,
    alert: async (record) => {
      if (!reachable) throw new Error('the database is away');
      await alert(record);
    },
  });
  await work.poll(8);
  expect(stand.alerts).toEqual([]);
  reachable = true;
  stand.pass(30_000);
  await work.poll(8);
  expect(stand.alerts).toEqual([id]);
  expect(stand.events.map(({ kind }) => kind)).toEqual(['look_failed', 'exhausted']);
});

test('no more are looked into at the same time than was asked for', async () => {
  const stand = createStand();
  for (let each = 0; each < 20; each++) await stand.unknown();
  let running = 0;
  let most = 0;
  stand.finds(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return nothing;
  });
  expect([await stand.work.poll(8), await stand.work.poll(8), await stand.work.poll(8)]).toEqual([8, 8, 4]);
  expect(most).toBe(8);
});

test('a look that throws is told with operation and tenant, spoils nobody else’s, and comes again until a person is asked', async () => {
  const stand = createStand({ pausesMs: [5_000, 5_000] });
  const broken = await stand.unknown();
  const others = [await stand.unknown(), await stand.unknown()];
  const error = new Error('a bug');
  stand.finds((id) => {
    if (id === broken) throw error;
    return { kind: 'settled', cause: 'provider_succeeded' };
  });
  expect(await stand.work.poll(8)).toBe(3);
  expect(stand.looks.map(({ id }) => id)).toEqual(expect.arrayContaining(others));
  const told = {
    kind: 'look_failed',
    source: 'poller',
    operation: 'test.run',
    operationId: broken,
    tenantId: 'acme',
    error,
  };
  expect(stand.events).toEqual([told]);
  for (const id of others) {
    await stand.store.move({ ...move(must(await stand.store.findById(id)), 'completed') });
  }
  for (let look = 0; look < 5; look++) {
    stand.pass(10_000);
    await stand.work.poll(8);
  }
  expect(stand.looks.filter(({ id }) => id === broken)).toHaveLength(3);
  expect(stand.alerts).toEqual([broken]);
});

test('while the circuit is open nothing is taken and nothing is counted against the schedule', async () => {
  const stand = createStand({ circuit: { permits: async () => 'none' } });
  const id = await stand.unknown();
  expect(await stand.work.poll(8)).toBe(0);
  expect(await stand.store.findById(id)).toMatchObject({ reconcileAttempts: 0 });
  expect(await stand.store.take(8, 0)).toHaveLength(1);
});

test('only the provider’s own trouble is counted against the provider', async () => {
  const stand = createStand();
  for (let each = 0; each < 3; each++) await stand.unknown();
  const answers = [trouble, nothing, { kind: 'settled', cause: 'x' } as const];
  stand.finds(() => answers.shift() ?? nothing);
  await stand.work.poll(8);
  expect(stand.calls).toMatchObject({ failed: 1, succeeded: 2 });
});

test('where there was nothing to do the provider was not asked, and is neither praised nor blamed', async () => {
  const stand = createStand();
  await stand.unknown();
  stand.finds(() => ({ kind: 'nothing_to_do', status: 'completed' }));
  await stand.work.poll(8);
  expect(stand.calls).toMatchObject({ failed: 0, succeeded: 0 });
});

test.each([
  ['is back', true, { failed: 0, succeeded: 1 }],
  ['is still away', false, { failed: 1, succeeded: 0 }],
])('a provider that %s is found out about, also when no look is due', async (_, answers, told) => {
  const stand = createStand({ circuit: { permits: async () => 'one' } });
  const later = await stand.unknown(day);
  let pings = 0;
  const work = createDueWork({
    ...stand.parts,
    ping: async () => {
      pings += 1;
      return answers;
    },
  });
  expect(await work.poll(8)).toBe(0);
  expect(pings).toBe(1);
  expect(stand.calls).toMatchObject(told);
  // The one question is a look where one is due.
  await stand.unknown();
  expect(await work.poll(8)).toBe(1);
  expect(pings).toBe(1);
  expect(stand.looks.map(({ id }) => id)).not.toContain(later);
});

test('a page left open, or a client that asks every few seconds, does not keep a person from being told', async () => {
  const pausesMs = [5_000, 40_000, 300_000];
  const stand = createStand({ pausesMs });
  const id = await stand.unknown(2_000);
  for (let second = 0; second < 600; second++) {
    stand.pass(1_000);
    await stand.store.hasten(id, 30_000);
    await stand.work.poll(8);
  }
  expect(stand.alerts).toEqual([id]);
  expect(stand.events).toMatchObject([{ kind: 'exhausted', checks: pausesMs.length + 1 }]);
  expect(stand.looks.length).toBeGreaterThan(pausesMs.length + 1);
});

test('a provider that comes and goes does not use up the schedule of what a bank is working on', async () => {
  let failures = 0;
  const stand = createStand({
    pausesMs: [60_000, 3_600_000, day],
    circuit: {
      succeeded: async () => {
        const was = failures;
        failures = 0;
        return was > 0 ? 'closed' : 'was_closed';
      },
      failed: async () => {
        failures += 1;
      },
    },
  });
  const id = await stand.unknown();
  let away = false;
  stand.finds((asked) => (away && asked !== id ? trouble : nothing));
  for (let minute = 0; minute < 50; minute++) {
    away = minute % 2 === 0;
    const other = await stand.unknown();
    stand.pass(60_000);
    await stand.work.poll(8);
    await stand.store.move(move(must(await stand.store.findById(other)), 'completed'));
  }
  expect(stand.alerts).toEqual([]);
  expect(await stand.store.findById(id)).toMatchObject({ reconcileAttempts: 2 });
  expect(stand.looks.filter((look) => look.id === id).length).toBeGreaterThan(10);
});

test('when the provider is back every later look comes soon', async () => {
  const stand = createStand({ circuit: { succeeded: async () => 'closed' } });
  const later = [await stand.unknown(day), await stand.unknown(3 * day)];
  await stand.unknown();
  await stand.work.poll(1);
  expect(stand.events).toEqual([{ kind: 'provider_back', hurried: 2 }]);
  stand.pass(20_000);
  const soon = await stand.store.take(8, 30_000);
  expect(soon.map(({ id }) => id)).toEqual(expect.arrayContaining(later));
});

test('the sweeper doubts every silent owner, also beside one that cannot be doubted, which does not keep it from resting', async () => {
  const stand = createStand();
  const [first, second] = [
    must(await stand.store.insert(claim({ leaseMs: 1_000 }))),
    must(await stand.store.insert(claim({ leaseMs: 2_000 }))),
  ];
  const { doubt } = stand.parts.engine;
  const error = new Error('a bug');
  const work = createDueWork({
    ...stand.parts,
    engine: {
      doubt: async (operation, record) => {
        if (record.id === first.id) throw error;
        return doubt(operation, record);
      },
    },
  });
  stand.pass(5_000);
  expect([await work.sweep(), await work.sweep()]).toEqual([1, 0]);
  expect(await stand.store.findById(second.id)).toMatchObject({ status: 'unknown' });
  expect(stand.events).toEqual(
    expect.arrayContaining([
      {
        kind: 'look_failed',
        source: 'sweeper',
        operation: 'test.run',
        operationId: first.id,
        tenantId: 'acme',
        error,
      },
      { kind: 'swept', operation: 'test.run', operationId: second.id, tenantId: 'acme', to: 'unknown' },
    ]),
  );
});

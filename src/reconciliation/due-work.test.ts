import { expect, test } from 'vitest';
import type { OperationRecord, OperationRef } from '#idempotency/index.ts';
import { createMemoryStore } from '#idempotency/stores/memory.ts';
import { testOperation } from '#idempotency/testing/postgres-engines.ts';
import { changed, claim, granted, must, transition } from '#idempotency/testing/store-contract.ts';
import type { Circuit } from './circuit.ts';
import { createDueWork, type DueEvent, type DueWork } from './due-work.ts';
import type { Reconciled } from './reconcile.ts';

const day = 24 * 3_600_000;
/** `claim()` is of this tenant. */
const refOf = (id: string) => ({ tenantId: 'acme', id });
const nothing: Reconciled = { kind: 'still_unknown', code: 'provider_processing' };
const trouble: Reconciled = { kind: 'still_unknown', code: 'provider_timeout' };

/** Makes the checks that are due, until all have ended; returns how many. */
function withPoll(work: DueWork) {
  return {
    ...work,
    poll: async (limit: number) => (await Promise.all(await work.beginChecks(limit))).length,
  };
}

/** The poller and the sweeper over a store in memory, with a clock that the test moves. */
function createHarness(over: { circuit?: Partial<Circuit>; pausesMs?: readonly number[] } = {}) {
  let now = 0;
  let found: (operationId: string) => Promise<Reconciled> | Reconciled = () => nothing;
  const store = createMemoryStore(() => now);
  const pausesMs = over.pausesMs ?? Array.from({ length: 14 }, () => 3_000);
  const operation = testOperation({ checks: { firstInMs: 0, pausesMs } });
  const events: DueEvent[] = [];
  const checks: { id: string; at: number }[] = [];
  const alerts: string[] = [];
  const calls = { failed: 0, succeeded: 0 };
  const parts = {
    queue: store,
    engine: {
      expireLease: async (_: unknown, record: OperationRecord) =>
        changed(store, { ...transition(record, 'unknown'), checkInMs: 0 }),
    },
    operations: [operation],
    reconciler: {
      async reconcile({ id }: OperationRef) {
        checks.push({ id, at: now });
        return found(id);
      },
    },
    circuit: {
      hasWork: async () => true,
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
    work: withPoll(createDueWork(parts)),
    events,
    checks,
    alerts,
    calls,
    finds(result: typeof found) {
      found = result;
    },
    pass(ms: number) {
      now += ms;
    },
    async unknown(checkInMs = 0, tenantId = 'acme'): Promise<string> {
      const record = granted(await store.claim(claim({ tenantId })));
      return (await changed(store, { ...transition(record, 'unknown'), checkInMs })).id;
    },
  };
}

test('an unknown outcome is checked by the schedule of its operation, then the operators are alerted, once', async () => {
  const pausesMs = [5_000, 60_000, 3_600_000, day];
  const harness = createHarness({ pausesMs });
  const id = await harness.unknown(2_000);
  for (let second = 0; second < 2 * day; second += 1_000) {
    harness.pass(1_000);
    await harness.work.poll(8);
  }
  expect(harness.checks).toHaveLength(pausesMs.length + 1);
  for (const [index, pause] of [2_000, ...pausesMs].entries()) {
    const waited = (harness.checks[index]?.at ?? 0) - (harness.checks[index - 1]?.at ?? 0);
    expect(waited).toBeGreaterThanOrEqual(0.8 * pause);
    expect(waited).toBeLessThanOrEqual(1.2 * pause + 1_000);
  }
  expect(harness.alerts).toEqual([id]);
  expect(harness.events).toEqual([
    { kind: 'exhausted', operation: 'test.run', operationId: id, tenantId: 'acme', checks: 5 },
  ]);
  expect(await harness.store.findById(refOf(id))).toMatchObject({ status: 'unknown' });
});

test('a tenant with many checks, all of them slow, does not hold up the one of another', async () => {
  const harness = createHarness();
  for (let due = 0; due < 20; due += 1) await harness.unknown();
  const ended = Promise.withResolvers<Reconciled>();
  harness.finds(() => ended.promise);
  const begun = [...(await harness.work.beginChecks(7))];
  harness.pass(1);
  const other = await harness.unknown(0, 'globex');
  // One slot is free, and thirteen checks of the first tenant have waited for longer.
  begun.push(...(await harness.work.beginChecks(1)));
  expect(harness.checks).toHaveLength(8);
  expect(harness.checks.at(-1)).toMatchObject({ id: other });
  ended.resolve(nothing);
  await Promise.all(begun);
  // Nothing is under way any more: both have their turn.
  harness.pass(10_000);
  harness.finds(() => nothing);
  await harness.work.poll(2);
  expect(harness.checks.slice(-2).map(({ id }) => id)).toContain(other);
});

test('an alert that failed is sent at the next check: the operation is not escalated before', async () => {
  const harness = createHarness({ pausesMs: [] });
  const id = await harness.unknown();
  const { alert } = harness.parts;
  let reachable = false;
  const work = withPoll(
    createDueWork({
      ...harness.parts,
      alert: async (record) => {
        if (!reachable) throw new Error('the database is away');
        await alert(record);
      },
    }),
  );
  await work.poll(8);
  expect(harness.alerts).toEqual([]);
  reachable = true;
  harness.pass(30_000);
  await work.poll(8);
  expect(harness.alerts).toEqual([id]);
  expect(harness.events.map(({ kind }) => kind)).toEqual(['check_failed', 'exhausted']);
});

test('no more checks are made at the same time than the limit', async () => {
  const harness = createHarness();
  for (let each = 0; each < 20; each++) await harness.unknown();
  let running = 0;
  let most = 0;
  harness.finds(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    return nothing;
  });
  expect([await harness.work.poll(8), await harness.work.poll(8), await harness.work.poll(8)]).toEqual([
    8, 8, 4,
  ]);
  expect(most).toBe(8);
});

test('a check that throws is reported with operation and tenant, does not stop the others, and is repeated until the escalation', async () => {
  const harness = createHarness({ pausesMs: [5_000, 5_000] });
  const broken = await harness.unknown();
  const others = [await harness.unknown(), await harness.unknown()];
  const error = new Error('a bug');
  harness.finds((id) => {
    if (id === broken) throw error;
    return { kind: 'completed', cause: 'provider_succeeded' };
  });
  expect(await harness.work.poll(8)).toBe(3);
  expect(harness.checks.map(({ id }) => id)).toEqual(expect.arrayContaining(others));
  const event = {
    kind: 'check_failed',
    source: 'poller',
    operation: 'test.run',
    operationId: broken,
    tenantId: 'acme',
    error,
  };
  expect(harness.events).toEqual([event]);
  for (const id of others) {
    await harness.store.transition({
      ...transition(must(await harness.store.findById(refOf(id))), 'completed'),
    });
  }
  for (let poll = 0; poll < 5; poll++) {
    harness.pass(10_000);
    await harness.work.poll(8);
  }
  expect(harness.checks.filter(({ id }) => id === broken)).toHaveLength(3);
  expect(harness.alerts).toEqual([broken]);
});

test('an operation that this version does not know is not checked and not escalated, and is reported', async () => {
  const h = createHarness({ pausesMs: [] });
  const work = withPoll(createDueWork({ ...h.parts, operations: [] }));
  const operationId = await h.unknown();
  for (let round = 0; round < 3; round++) {
    expect(await work.poll(10)).toBe(1);
    h.pass(60_000);
  }
  expect(h.checks).toEqual([]);
  expect(h.alerts).toEqual([]);
  expect(h.events).toMatchObject([
    { kind: 'check_failed', operationId },
    { kind: 'check_failed', operationId },
    { kind: 'check_failed', operationId },
  ]);
  // A worker that knows it takes it over.
  await h.work.poll(10);
  expect(h.checks).toMatchObject([{ id: operationId }]);
});

test('while the circuit is open nothing is taken and nothing is counted against the schedule', async () => {
  const harness = createHarness({ circuit: { permits: async () => 'none' } });
  const id = await harness.unknown();
  expect(await harness.work.poll(8)).toBe(0);
  expect(await harness.store.findById(refOf(id))).toMatchObject({ checkCount: 0 });
  expect(await harness.store.take(8, 0)).toHaveLength(1);
});

test('only the provider’s own trouble is counted against the provider', async () => {
  const harness = createHarness();
  for (let each = 0; each < 3; each++) await harness.unknown();
  const results = [trouble, nothing, { kind: 'completed', cause: 'x' } as const];
  harness.finds(() => results.shift() ?? nothing);
  await harness.work.poll(8);
  expect(harness.calls).toMatchObject({ failed: 1, succeeded: 2 });
});

test('where there was nothing to do the provider was not asked, and neither a success nor a failure is counted', async () => {
  const harness = createHarness();
  await harness.unknown();
  harness.finds(() => ({ kind: 'nothing_to_do', status: 'completed' }));
  await harness.work.poll(8);
  expect(harness.calls).toMatchObject({ failed: 0, succeeded: 0 });
});

test.each([
  ['is back', true, { failed: 0, succeeded: 1 }],
  ['is still away', false, { failed: 1, succeeded: 0 }],
])('whether the provider %s is probed also when no check is due', async (_, responds, counted) => {
  const harness = createHarness({ circuit: { permits: async () => 'one' } });
  const later = await harness.unknown(day);
  let pings = 0;
  const work = withPoll(
    createDueWork({
      ...harness.parts,
      ping: async () => {
        pings += 1;
        return responds;
      },
    }),
  );
  expect(await work.poll(8)).toBe(0);
  expect(pings).toBe(1);
  expect(harness.calls).toMatchObject(counted);
  // If a check is due, it is the probe.
  await harness.unknown();
  expect(await work.poll(8)).toBe(1);
  expect(pings).toBe(1);
  expect(harness.checks.map(({ id }) => id)).not.toContain(later);
});

test('a client that reads the status every few seconds does not hold up the escalation', async () => {
  const pausesMs = [5_000, 40_000, 300_000];
  const harness = createHarness({ pausesMs });
  const id = await harness.unknown(2_000);
  for (let second = 0; second < 600; second++) {
    harness.pass(1_000);
    await harness.store.expedite(refOf(id), 30_000);
    await harness.work.poll(8);
  }
  expect(harness.alerts).toEqual([id]);
  expect(harness.events).toMatchObject([{ kind: 'exhausted', checks: pausesMs.length + 1 }]);
  expect(harness.checks.length).toBeGreaterThan(pausesMs.length + 1);
});

test('repeated outages of the provider do not use up the schedule of an operation', async () => {
  let failures = 0;
  const harness = createHarness({
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
  const id = await harness.unknown();
  let away = false;
  harness.finds((checked) => (away && checked !== id ? trouble : nothing));
  for (let minute = 0; minute < 50; minute++) {
    away = minute % 2 === 0;
    const other = await harness.unknown();
    harness.pass(60_000);
    await harness.work.poll(8);
    await harness.store.transition(transition(must(await harness.store.findById(refOf(other))), 'completed'));
  }
  expect(harness.alerts).toEqual([]);
  expect(await harness.store.findById(refOf(id))).toMatchObject({ checkCount: 2 });
  expect(harness.checks.filter((check) => check.id === id).length).toBeGreaterThan(10);
});

test('when the provider is back every later check is expedited', async () => {
  const harness = createHarness({ circuit: { succeeded: async () => 'closed' } });
  const later = [await harness.unknown(day), await harness.unknown(3 * day)];
  await harness.unknown();
  await harness.work.poll(1);
  expect(harness.events).toEqual([{ kind: 'provider_back', expedited: 2 }]);
  harness.pass(20_000);
  const soon = await harness.store.take(8, 30_000);
  expect(soon.map(({ id }) => id)).toEqual(expect.arrayContaining(later));
});

test('the sweeper expires every lease that is over, also beside one that throws, which does not keep it from resting', async () => {
  const harness = createHarness();
  const [first, second] = [
    granted(await harness.store.claim(claim({ leaseMs: 1_000 }))),
    granted(await harness.store.claim(claim({ leaseMs: 2_000 }))),
  ];
  const { expireLease } = harness.parts.engine;
  const error = new Error('a bug');
  const work = withPoll(
    createDueWork({
      ...harness.parts,
      engine: {
        expireLease: async (operation, record) => {
          if (record.id === first.id) throw error;
          return expireLease(operation, record);
        },
      },
    }),
  );
  harness.pass(5_000);
  expect([await work.sweep(), await work.sweep()]).toEqual([1, 0]);
  expect(await harness.store.findById(second)).toMatchObject({ status: 'unknown' });
  expect(harness.events).toEqual(
    expect.arrayContaining([
      {
        kind: 'check_failed',
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

test('while operators have paused a tenant, none of its checks is made, and resuming makes them all', async () => {
  const harness = createHarness();
  const id = await harness.unknown();
  let paused = ['acme'];
  const work = withPoll(createDueWork({ ...harness.parts, pausedTenants: async () => paused }));
  expect(await work.poll(8)).toBe(0);
  expect(harness.checks).toEqual([]);
  paused = [];
  expect(await work.poll(8)).toBe(1);
  expect(harness.checks).toMatchObject([{ id }]);
});

test('however many leases cannot be expired, the others are', async () => {
  const harness = createHarness();
  // Of an operation that only a newer version of the worker knows.
  for (let each = 0; each < 150; each++)
    await harness.store.claim(claim({ operation: 'test.newer', leaseMs: 1 }));
  const known = granted(await harness.store.claim(claim({ leaseMs: 2_000 })));
  harness.pass(5_000);
  expect(await harness.work.sweep()).toBe(1);
  expect(await harness.store.findById(known)).toMatchObject({ status: 'unknown' });
});

test('a check that hangs holds up no other', async () => {
  const harness = createHarness();
  const [slow, quick] = [await harness.unknown(), await harness.unknown()];
  const hung = Promise.withResolvers<Reconciled>();
  harness.finds((id) => (id === slow ? hung.promise : nothing));
  const begun = await harness.work.beginChecks(8);
  await Promise.race(begun);
  harness.pass(10_000);
  expect(await harness.work.poll(7)).toBe(1);
  expect(harness.checks.map(({ id }) => id)).toEqual([slow, quick, quick]);
  hung.resolve(nothing);
  await Promise.all(begun);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from './outcome.ts';
import { openPostgresEngines, type PostgresEngines, testOperation } from './testing/postgres-engines.ts';

const keyCount = 200;
const callersPerKey = 20;
const operation = testOperation();

let engines: PostgresEngines;
beforeAll(async () => {
  engines = await openPostgresEngines();
});
afterAll(() => engines.close());

test('200 keys, 20 callers each, through two pools at once: every key executes once, all others replay it or get 409', {
  timeout: 120_000,
}, async () => {
  const processes = [engines.open(), engines.open()] as const;
  const keys = Array.from({ length: keyCount }, () => randomUUID());
  const executions = new Map<string, number>();

  const call = async (key: string, caller: number): Promise<{ key: string; outcome: Outcome }> => {
    const { engine } = processes[caller % 2 === 0 ? 0 : 1];
    const request = { tenantId: 'acme', principal: 'alice', keyHeader: key, input: { of: key } };
    const outcome = await engine.run(operation, request, async (execution) => {
      executions.set(key, (executions.get(key) ?? 0) + 1);
      await execution.phase('sent');
      return { kind: 'completed', status: 201, body: { key, caller }, cause: 'test' };
    });
    return { key, outcome };
  };
  // Every caller goes through all keys in the same order, so they meet at each of them, some early and some late.
  const walk = async (_: unknown, caller: number) => {
    const results = [];
    for (const key of keys) results.push(await call(key, caller));
    return results;
  };
  const results = (await Promise.all(Array.from({ length: callersPerKey }, walk))).flat();

  expect(executions.size).toBe(keyCount);
  expect([...executions.values()].every((times) => times === 1)).toBe(true);

  const completed = results.flatMap(({ key, outcome }) =>
    outcome.kind === 'completed' ? [{ key, ...outcome }] : [],
  );
  const first = new Map(
    completed.filter(({ replayed }) => !replayed).map(({ key, response }) => [key, response]),
  );
  const replays = completed.filter(({ replayed }) => replayed);
  const conflicts = results.filter(
    ({ outcome }) =>
      outcome.kind === 'refused' && outcome.problem.spec.code === 'idempotency_key_in_progress',
  );
  expect(first.size).toBe(keyCount);
  expect(first.size + replays.length + conflicts.length).toBe(keyCount * callersPerKey);
  expect([replays.length > 0, conflicts.length > 0]).toEqual([true, true]);
  expect(replays.filter(({ key, response }) => response.body !== first.get(key)?.body)).toEqual([]);

  const [{ db }] = processes;
  const rows = await db.idempotencyRecord.groupBy({ by: ['status', 'attempt'], _count: true });
  expect(rows).toEqual([{ status: 'completed', attempt: 1, _count: keyCount }]);
  expect(await db.idempotencyEvent.count()).toBe(keyCount * 3);

  const reserved = processes.flatMap(({ events }) => events).filter((event) => event.kind === 'reserve');
  expect(reserved.filter(({ outcome }) => outcome === 'created')).toHaveLength(keyCount);
  expect(reserved).toHaveLength(keyCount * callersPerKey);
});

test('an owner that finishes after a webhook has resolved the operation overwrites nothing: its caller gets the stored response, and the refusal is counted', async () => {
  const owner = engines.open();
  const webhook = engines.open();
  const request = { tenantId: 'acme', principal: 'alice', keyHeader: randomUUID(), input: {} };
  const verdict = (by: string) => ({ kind: 'completed', status: 201, body: { by }, cause: 'test' }) as const;
  const outcome = await owner.engine.run(operation, request, async (execution) => {
    await execution.phase('sent');
    const record = await webhook.store.findById(execution.ref);
    if (record) await webhook.engine.resolve(operation, record, verdict('webhook'), 'webhook');
    return verdict('owner');
  });
  expect(outcome).toMatchObject({
    kind: 'completed',
    replayed: true,
    response: { body: '{"by":"webhook"}' },
  });
  expect(await webhook.engine.run(operation, request, async () => verdict('duplicate'))).toEqual(outcome);
  expect(owner.events.filter(({ kind }) => kind === 'stale_write_refused')).toHaveLength(1);
});

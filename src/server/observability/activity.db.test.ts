import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readActivity } from '#console/overview/activity-series.ts';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { createActivity, pruneActivity } from './activity.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

const fail = (error: unknown) => {
  throw error;
};

test('activity of all processes is added up, for each shop by itself, and drawn in even steps', async () => {
  const [tenantId, other] = [randomUUID(), randomUUID()];
  const processes = [createActivity(db, fail), createActivity(db, fail)];
  const about = { operation: 'payment.create', operationId: randomUUID() };
  for (const one of processes) {
    one.engine({ kind: 'reserve', ...about, tenantId, outcome: 'created' });
    // A retry is not counted as a new operation.
    one.engine({ kind: 'reserve', ...about, tenantId, outcome: 'failed_retry' });
    one.engine({ kind: 'reserve', ...about, tenantId, outcome: 'replay' });
    one.engine({ kind: 'reserve', ...about, tenantId: other, outcome: 'key_misuse' });
    one.engine({ kind: 'attempt_ended', ...about, tenantId, verdict: 'unknown', cause: 'provider_timeout' });
    const resolved = {
      kind: 'resolved',
      ...about,
      tenantId,
      source: 'poller',
      verdict: 'completed',
    } as const;
    one.reconciler({ ...resolved, unknownForMs: 2_000 });
    one.reconciler({ ...resolved, unknownForMs: undefined });
  }
  await Promise.all(processes.map((one) => one.flush()));
  const { steps } = await readActivity(db, tenantId, '1h');
  expect(steps).toHaveLength(12);
  // Two flushes may fall into two buckets of five minutes.
  const sum = (of: (step: (typeof steps)[number]) => number) =>
    steps.reduce((all, step) => all + of(step), 0);
  expect(sum(({ started }) => started['payment.create'])).toBe(2);
  expect(sum(({ started }) => started['refund.create'])).toBe(0);
  expect(sum(({ replays }) => replays)).toBe(2);
  expect(sum(({ unknown }) => unknown)).toBe(2);
  expect(sum(({ resolved }) => resolved)).toBe(2);
  expect(sum(({ misuses }) => misuses)).toBe(0);
  const p50 = steps.findLast(({ p50Ms }) => p50Ms !== null)?.p50Ms ?? 0;
  expect(p50).toBeGreaterThan(1_300);
  expect(p50).toBeLessThan(3_000);
  for (const range of ['24h', '7d'] as const) {
    const { steps: longer } = await readActivity(db, tenantId, range);
    expect(longer.reduce((all, step) => all + step.started['payment.create'], 0)).toBe(2);
  }
});

test('activity of more than a quarter of a year ago is deleted', async () => {
  const tenantId = randomUUID();
  await db.$executeRaw`
    INSERT INTO activity_bucket (tenant_id, kind, bucket_at, count)
    SELECT ${tenantId}, 'payment', date_bin('5 minutes', now() - days * interval '1 day', 'epoch'), 1
    FROM unnest(ARRAY[1, 89, 91, 400]) AS days`;
  await pruneActivity(db);
  expect(await db.activityBucket.count({ where: { tenantId } })).toBe(2);
});

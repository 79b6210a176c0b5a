import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Prisma, type PrismaClient } from '#prisma';
import type { OperationRequest, Verdict } from './operation.ts';
import type { Outcome } from './outcome.ts';
import { idempotencyProblems } from './problems.ts';
import { reap } from './reaper.ts';
import { createPostgresStore } from './stores/postgres.ts';
import { createPrismaDriver } from './stores/prisma.ts';
import {
  openPostgresEngines,
  type PostgresEngine,
  type PostgresEngines,
  testOperation,
} from './testing/postgres-engines.ts';

const operation = testOperation();
const paid = {
  kind: 'completed',
  status: 201,
  body: { paid: true },
  cause: 'test',
  resource: { type: 'payment', id: 'p-1' },
} as const;
const failed: Verdict<unknown, unknown> = {
  kind: 'failed_retryable',
  problem: { spec: idempotencyProblems.operation_failed },
};

let engines: PostgresEngines;
let reaper: PostgresEngine;
let requests: PostgresEngine;
beforeAll(async () => {
  engines = await openPostgresEngines();
  reaper = engines.open();
  requests = engines.open();
});
afterAll(() => engines.close());

const newRequest = () => ({
  tenantId: 'acme',
  principal: 'alice',
  keyHeader: randomUUID(),
  input: { amount: 1 },
});
const run = (request: OperationRequest, verdict: Verdict<unknown, unknown> = paid): Promise<Outcome> =>
  requests.engine.run(operation, request, async () => verdict);
const rowOf = ({ tenantId, keyHeader }: ReturnType<typeof newRequest>) =>
  requests.db.idempotencyRecord.findUnique({
    where: { tenantId_operation_key: { tenantId, operation: operation.name, key: keyHeader } },
  });

const isRecordOf = ({ tenantId, keyHeader }: ReturnType<typeof newRequest>) =>
  Prisma.sql`tenant_id = ${tenantId} AND operation = ${operation.name} AND key = ${keyHeader}`;

/** The database's clock cannot be changed, so the record's retention times are. */
async function makeDue(
  time: 'body_purge_at' | 'expires_at' | 'delete_at',
  request: ReturnType<typeof newRequest>,
) {
  const updated = await requests.db.$executeRaw`
    UPDATE idempotency_record SET ${Prisma.raw(time)} = clock_timestamp() - interval '1 second'
    WHERE ${isRecordOf(request)}`;
  expect(updated).toBe(1);
}

const codeOf = (outcome: Outcome) => (outcome.kind === 'refused' ? outcome.problem.spec.code : outcome.kind);

describe('row 21: the three retention periods', () => {
  test('start when the record is completed, and are as long as the operation says', async () => {
    const request = newRequest();
    await run(request);
    const [row] = await requests.db.$queryRaw<{ replay: number; body: number; metadata: number }[]>`
      SELECT extract(epoch FROM expires_at - completed_at)::int AS replay,
        extract(epoch FROM body_purge_at - completed_at)::int AS body,
        extract(epoch FROM delete_at - completed_at)::int AS metadata
      FROM idempotency_record WHERE ${isRecordOf(request)}`;
    expect(row).toEqual({ replay: 3_600, body: 3_600, metadata: 7_200 });
  });

  test('nothing is reaped before its time', async () => {
    const request = newRequest();
    await run(request);
    expect(await reap(reaper.store)).toEqual({ purge_body: 0, expire: 0, delete: 0 });
    expect(await run(request)).toMatchObject({ kind: 'completed', replayed: true });
  });

  test('replay window over: the same principal gets 410 and the resource id, another learns nothing', async () => {
    const request = newRequest();
    await run(request);
    await makeDue('expires_at', request);
    expect(await reap(reaper.store)).toMatchObject({ expire: 1 });
    const gone = await run(request);
    expect(gone).toMatchObject({
      kind: 'refused',
      problem: {
        spec: { code: 'idempotency_key_expired', http: 410 },
        extensions: { resourceType: 'payment', resourceId: 'p-1' },
      },
    });
    const other = await run({ ...request, principal: 'mallory' });
    expect(other).toEqual({ kind: 'refused', problem: { spec: idempotencyProblems.idempotency_key_reused } });
  });

  test('a released key expires as well, and is then no longer executed', async () => {
    const request = newRequest();
    await run(request, failed);
    await makeDue('expires_at', request);
    expect(await reap(reaper.store)).toMatchObject({ expire: 1 });
    const gone = await run(request);
    expect(codeOf(gone)).toBe('idempotency_key_expired');
    // There is nothing to look up, and another key is safe.
    expect(gone).toMatchObject({
      problem: { detail: expect.stringContaining('nothing happened'), advice: { newKey: 'safe' } },
    });
  });

  test('a released key that names what an earlier record of it made still names it when it has expired', async () => {
    const request = newRequest();
    const { resource } = paid;
    await run(request, { ...failed, resource });
    await makeDue('expires_at', request);
    expect(await reap(reaper.store)).toMatchObject({ expire: 1 });
    const gone = await run(request);
    expect(gone).toMatchObject({ problem: { extensions: { resourceId: resource.id } } });
    expect(gone).not.toHaveProperty('problem.advice');
  });

  test('body retention over: no body is in the table any more, and no wrong response is replayed', async () => {
    const request = newRequest();
    await run(request);
    expect(await rowOf(request)).toMatchObject({ responseBody: expect.any(Uint8Array), bodyPurgedAt: null });
    await makeDue('body_purge_at', request);
    expect(await reap(reaper.store)).toMatchObject({ purge_body: 1 });
    expect(await rowOf(request)).toMatchObject({
      status: 'completed',
      responseBody: null,
      responseKeyId: null,
      responseStatus: 201,
      bodyPurgedAt: expect.any(Date),
    });
    expect(codeOf(await run(request))).toBe('idempotency_key_expired');
  });

  test('metadata retention over: the key is new again, and the operation keeps its id', async () => {
    const request = newRequest();
    const first = await run(request);
    await makeDue('expires_at', request);
    await makeDue('delete_at', request);
    expect(await reap(reaper.store)).toEqual({ purge_body: 0, expire: 1, delete: 1 });
    expect(await rowOf(request)).toBeNull();
    const second = await run(request);
    expect(first).toMatchObject({ kind: 'completed', replayed: false });
    // Downstream keys are derived from the id, so a forgotten operation is still recognised by the provider.
    expect(second).toEqual(first);
  });

  test('a record that has not expired is not deleted', async () => {
    const request = newRequest();
    await run(request);
    await makeDue('delete_at', request);
    expect(await reap(reaper.store)).toEqual({ purge_body: 0, expire: 0, delete: 0 });
    expect(await run(request)).toMatchObject({ kind: 'completed', replayed: true });
  });
});

describe('what is in progress or unknown', () => {
  test.each(['in_progress', 'unknown'] as const)(
    '%s is never purged, expired or deleted, however old it is',
    async (status) => {
      const request = newRequest();
      const reached = Promise.withResolvers<void>();
      const owner = requests.engine.run(operation, request, async (execution) => {
        await execution.phase('sent');
        reached.resolve();
        return status === 'unknown'
          ? { kind: 'unknown', code: 'timeout' }
          : new Promise<never>(() => undefined);
      });
      await (status === 'unknown' ? owner : reached.promise);
      // The times of an earlier attempt that was released may still be set.
      await requests.db.$executeRaw`
        UPDATE idempotency_record SET updated_at = '2000-01-01', delete_at = '2000-01-01', body_purge_at = '2000-01-01'
        WHERE ${isRecordOf(request)}`;
      const before = await rowOf(request);
      expect(await reap(reaper.store)).toEqual({ purge_body: 0, expire: 0, delete: 0 });
      expect(await rowOf(request)).toEqual(before);
      expect(before).toMatchObject({ status });

      const expire = requests.db.$executeRaw`
        UPDATE idempotency_record SET expires_at = '2000-01-01' WHERE ${isRecordOf(request)}`;
      await expect(expire).rejects.toThrow('its columns do not fit its status');
    },
  );

  test('a retried key loses the expiry of its release: it cannot expire while it executes', async () => {
    const request = newRequest();
    await run(request, failed);
    await makeDue('expires_at', request);
    let reaped: unknown;
    await requests.engine.run(operation, request, async () => {
      reaped = await reap(reaper.store);
      return paid;
    });
    expect(reaped).toMatchObject({ expire: 0 });
    expect(await run(request)).toMatchObject({ kind: 'completed', replayed: true });
  });
});

describe('the reaper does not block requests', () => {
  /** Runs `work` while another transaction holds the record's row lock. */
  function whileLocked<T>(request: ReturnType<typeof newRequest>, work: () => Promise<T>): Promise<T> {
    return requests.db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT FROM idempotency_record WHERE ${isRecordOf(request)} FOR UPDATE`;
      return work();
    });
  }

  test('it skips a locked record without waiting, and takes it the next time', async () => {
    const [held, free] = [newRequest(), newRequest()];
    await Promise.all([run(held), run(free)]);
    for (const time of ['expires_at', 'body_purge_at', 'delete_at'] as const) {
      await Promise.all([makeDue(time, held), makeDue(time, free)]);
    }
    // If it waited, it would never return: the lock is released only after it has returned.
    expect(await whileLocked(held, () => reap(reaper.store))).toEqual({
      purge_body: 1,
      expire: 1,
      delete: 1,
    });
    expect(await rowOf(held)).toMatchObject({ status: 'completed' });
    expect(await reap(reaper.store)).toEqual({ purge_body: 1, expire: 1, delete: 1 });
  });

  test('claims, replays and completions go through while the reaper’s transaction is open, also of the records it is changing', async () => {
    const due = newRequest();
    const other = newRequest();
    await Promise.all([run(due), run(other)]);
    await makeDue('expires_at', due);
    await reaper.db.$transaction(async (tx) => {
      const store = createPostgresStore(createPrismaDriver(tx as PrismaClient));
      expect(await store.reap('expire', 500)).toBe(1);
      expect(await run(newRequest())).toMatchObject({ kind: 'completed', replayed: false });
      expect(await run(other)).toMatchObject({ replayed: true });
      expect(await run(due)).toMatchObject({ replayed: true });
    });
    expect(codeOf(await run(due))).toBe('idempotency_key_expired');
  });

  test('it works in small batches, and stops at the maximum', async () => {
    const many = Array.from({ length: 7 }, newRequest);
    await Promise.all(many.map((request) => run(request)));
    await Promise.all(many.map((request) => makeDue('expires_at', request)));
    expect(await reap(reaper.store, { batchSize: 2, maxBatches: 2 })).toMatchObject({ expire: 4 });
    expect(await reap(reaper.store, { batchSize: 2 })).toMatchObject({ expire: 3 });
  });
});

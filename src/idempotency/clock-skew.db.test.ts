import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { childEnvironment } from '#run/testing/child-environment.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import type { SkewedRequest } from './testing/skewed-process.ts';

const hourMs = 3_600_000;

interface SkewedProcess {
  send(request: SkewedRequest): Promise<unknown>;
  stop(): Promise<void>;
}

let database: TestDatabase;
let db: PrismaClient;
let behind: SkewedProcess;
let ahead: SkewedProcess;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 2 }) });
  [behind, ahead] = await Promise.all([startProcess(-hourMs), startProcess(hourMs)]);
});
afterAll(async () => {
  await Promise.all([behind.stop(), ahead.stop(), db.$disconnect()]);
  await database.drop();
});

/** Starts a process whose clock is wrong by this much. */
async function startProcess(skewMs: number): Promise<SkewedProcess> {
  const testing = path.join(import.meta.dirname, 'testing');
  const child: ChildProcess = fork(path.join(testing, 'skewed-process.ts'), {
    execArgv: ['--import', path.join(testing, 'skewed-clock.ts')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'test',
      ...childEnvironment(),
      DATABASE_URL: database.url,
      CLOCK_SKEW_MS: String(skewMs),
    },
  });
  await once(child, 'message');
  return {
    async send(request) {
      const response = once(child, 'message') as Promise<[{ result?: unknown; threw?: string }]>;
      child.send(request);
      const [{ result, threw }] = await response;
      return threw ?? result;
    },
    async stop() {
      const left = once(child, 'exit');
      child.disconnect();
      await left;
    },
  };
}

/** The owner's clock is behind that of the other process, or ahead of it. */
const pairs: [string, string, () => [SkewedProcess, SkewedProcess]][] = [
  ['an hour behind', 'an hour ahead', () => [behind, ahead]],
  ['an hour ahead', 'an hour behind', () => [ahead, behind]],
];

const inProgress = { kind: 'refused', problem: { spec: { code: 'idempotency_key_in_progress' } } };
const untouched = { leaseExpired: false, movedTo: 'nothing' };

async function letLeaseExpire(key: string): Promise<void> {
  const { count } = await db.idempotencyRecord.updateMany({
    where: { tenantId: 'acme', key },
    data: { leaseUntil: new Date(0) },
  });
  expect(count).toBe(1);
}

test('the two processes do disagree about the time by two hours', async () => {
  const processes = [behind, ahead];
  const [earlier = [], later = []] = await Promise.all(
    processes.map(async (one) => (await one.send({ kind: 'time' })) as number[]),
  );
  expect(earlier).toHaveLength(2);
  for (const [i, time] of earlier.entries()) expect(later[i]).toBeGreaterThan(time + 1.9 * hourMs);
});

describe.each(pairs)('row 26: an owner %s and another process %s', (_behind, _ahead, pair) => {
  test('a fresh lease is not stolen, also after a phase or an extension, and the owner finishes', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    expect(await owner.send({ kind: 'claim', key })).toEqual({ executes: 1 });
    for (const step of ['phase', 'extend'] as const) {
      expect(await other.send({ kind: 'claim', key })).toMatchObject(inProgress);
      expect(await other.send({ kind: 'sweep', key })).toEqual(untouched);
      expect(await owner.send({ kind: step })).toBe(step === 'phase' ? 'committed' : 'extended');
    }
    expect(await other.send({ kind: 'sweep', key })).toEqual(untouched);
    expect(await owner.send({ kind: 'finish' })).toMatchObject({ kind: 'completed', replayed: false });
    expect(await other.send({ kind: 'claim', key })).toMatchObject({ kind: 'completed', replayed: true });
  });

  test('an extension renews an expired lease by the clock of the database, not of the owner', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.send({ kind: 'claim', key });
    await letLeaseExpire(key);
    await owner.send({ kind: 'extend' });
    expect(await other.send({ kind: 'sweep', key })).toEqual(untouched);
    expect(await owner.send({ kind: 'sweep', key })).toEqual(untouched);
  });

  test('an expired lease is recognised by either, and the superseded owner can write no more', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.send({ kind: 'claim', key });
    await letLeaseExpire(key);
    expect(await owner.send({ kind: 'sweep', key })).toEqual({
      leaseExpired: true,
      movedTo: 'failed_retryable',
    });
    expect(await other.send({ kind: 'claim', key })).toEqual({ executes: 2 });
    expect(await owner.send({ kind: 'phase' })).toBe('Superseded');

    await letLeaseExpire(key);
    expect(await other.send({ kind: 'sweep', key })).toEqual({
      leaseExpired: true,
      movedTo: 'failed_retryable',
    });
  });

  test('an expired lease after sending is unknown to either, and executed by neither', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.send({ kind: 'claim', key });
    await owner.send({ kind: 'phase' });
    await letLeaseExpire(key);
    expect(await other.send({ kind: 'claim', key })).toMatchObject({ kind: 'pending', status: 'unknown' });
    expect(await owner.send({ kind: 'claim', key })).toMatchObject({ kind: 'pending', status: 'unknown' });
  });
});

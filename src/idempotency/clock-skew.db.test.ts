import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PrismaClient } from '#prisma';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import type { Ask } from './testing/skewed-process.ts';

const hourMs = 3_600_000;

interface SkewedProcess {
  ask(what: Ask): Promise<unknown>;
  stop(): Promise<void>;
}

let database: TestDatabase;
let db: PrismaClient;
let early: SkewedProcess;
let late: SkewedProcess;
beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  db = new PrismaClient({ adapter: new PrismaPg({ connectionString: database.url, max: 2 }) });
  [early, late] = await Promise.all([startProcess(-hourMs), startProcess(hourMs)]);
});
afterAll(async () => {
  await Promise.all([early.stop(), late.stop(), db.$disconnect()]);
  await database.drop();
});

/** A process of its own, whose clock is wrong from its first moment on. */
async function startProcess(skewMs: number): Promise<SkewedProcess> {
  const testing = path.join(import.meta.dirname, 'testing');
  const child: ChildProcess = fork(path.join(testing, 'skewed-process.ts'), {
    execArgv: ['--import', path.join(testing, 'skewed-clock.ts')],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'test',
      PATH: process.env.PATH ?? '',
      DATABASE_URL: database.url,
      CLOCK_SKEW_MS: String(skewMs),
    },
  });
  await once(child, 'message');
  return {
    async ask(what) {
      const answered = once(child, 'message') as Promise<[{ said?: unknown; threw?: string }]>;
      child.send(what);
      const [{ said, threw }] = await answered;
      return threw ?? said;
    },
    async stop() {
      const left = once(child, 'exit');
      child.disconnect();
      await left;
    },
  };
}

/** Both ways round: an owner whose clock is behind, doubted by one whose clock is ahead, and the reverse. */
const pairs: [string, string, () => [SkewedProcess, SkewedProcess]][] = [
  ['an hour behind', 'an hour ahead', () => [early, late]],
  ['an hour ahead', 'an hour behind', () => [late, early]],
];

const inProgress = { kind: 'refused', problem: { spec: { code: 'idempotency_key_in_progress' } } };
const untouched = { leaseExpired: false, movedTo: 'nothing' };

async function letLeaseRunOut(key: string): Promise<void> {
  const { count } = await db.idempotencyRecord.updateMany({
    where: { key },
    data: { leaseUntil: new Date(0) },
  });
  expect(count).toBe(1);
}

test('the two processes do disagree about the time by two hours', async () => {
  const [behind, ahead] = (await Promise.all([early.ask({ kind: 'time' }), late.ask({ kind: 'time' })])) as [
    number[],
    number[],
  ];
  expect(behind).toHaveLength(2);
  for (const [i, time] of behind.entries()) expect(ahead[i]).toBeGreaterThan(time + 1.9 * hourMs);
});

describe.each(pairs)('row 26: an owner %s and another process %s', (_behind, _ahead, pair) => {
  test('a fresh lease is not stolen, also after a phase or an extension, and the owner finishes', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    expect(await owner.ask({ kind: 'claim', key })).toEqual({ executes: 1 });
    for (const step of ['phase', 'extend'] as const) {
      expect(await other.ask({ kind: 'claim', key })).toMatchObject(inProgress);
      expect(await other.ask({ kind: 'sweep', key })).toEqual(untouched);
      expect(await owner.ask({ kind: step })).toBe(step === 'phase' ? 'committed' : 'extended');
    }
    expect(await other.ask({ kind: 'sweep', key })).toEqual(untouched);
    expect(await owner.ask({ kind: 'finish' })).toMatchObject({ kind: 'answered', replayed: false });
    expect(await other.ask({ kind: 'claim', key })).toMatchObject({ kind: 'answered', replayed: true });
  });

  test('an extension revives a lease that ran out, whatever the clock of the owner says', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.ask({ kind: 'claim', key });
    await letLeaseRunOut(key);
    await owner.ask({ kind: 'extend' });
    expect(await other.ask({ kind: 'sweep', key })).toEqual(untouched);
    expect(await owner.ask({ kind: 'sweep', key })).toEqual(untouched);
  });

  test('a lease that ran out is recognised by either, and the superseded owner can write no more', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.ask({ kind: 'claim', key });
    await letLeaseRunOut(key);
    expect(await owner.ask({ kind: 'sweep', key })).toEqual({
      leaseExpired: true,
      movedTo: 'failed_retryable',
    });
    expect(await other.ask({ kind: 'claim', key })).toEqual({ executes: 2 });
    expect(await owner.ask({ kind: 'phase' })).toBe('Superseded');

    await letLeaseRunOut(key);
    expect(await other.ask({ kind: 'sweep', key })).toEqual({
      leaseExpired: true,
      movedTo: 'failed_retryable',
    });
  });

  test('a lease that ran out after sending is doubted by either, and executed by neither', async () => {
    const [owner, other] = pair();
    const key = randomUUID();
    await owner.ask({ kind: 'claim', key });
    await owner.ask({ kind: 'phase' });
    await letLeaseRunOut(key);
    expect(await other.ask({ kind: 'claim', key })).toMatchObject({ kind: 'pending', why: 'unknown' });
    expect(await owner.ask({ kind: 'claim', key })).toMatchObject({ kind: 'pending', why: 'unknown' });
  });
});

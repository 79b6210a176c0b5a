import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { addJob } from '#queue/index.ts';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { startHeartbeat } from './heartbeat.ts';
import { writeHeartbeat } from './unlock-dead-workers.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());
beforeEach(async () => {
  await db.workerHeartbeat.deleteMany();
});

/** A job that a worker has locked for so long. */
async function lockedJob(workerId: string, seconds: number): Promise<void> {
  await addJob(db, { task: 'test', payload: {}, key: workerId });
  await db.$executeRaw`
    UPDATE graphile_worker._private_jobs
    SET locked_by = ${workerId}, locked_at = clock_timestamp() - ${seconds}::int * interval '1 second'
    WHERE key = ${workerId}`;
}

async function heartbeat(workerId: string, seconds: number): Promise<void> {
  await db.$executeRaw`
    INSERT INTO worker_heartbeat (worker_id, seen_at)
    VALUES (${workerId}, clock_timestamp() - ${seconds}::int * interval '1 second')`;
}

async function lockOf(workerId: string): Promise<string | null | undefined> {
  const [row] = await db.$queryRaw<{ locked_by: string | null }[]>`
    SELECT locked_by FROM graphile_worker.jobs WHERE key = ${workerId}`;
  return row?.locked_by;
}

test('a worker is alive from its start to its stop', async () => {
  const { stop } = await startHeartbeat({ db, log }, 'one');
  expect(await db.workerHeartbeat.findMany()).toMatchObject([{ workerId: 'one' }]);
  await stop();
  expect(await db.workerHeartbeat.count()).toBe(0);
});

test('the jobs of a worker that has missed three heartbeats are unlocked, those of a busy one and of a new one are not', async () => {
  await lockedJob('dead', 60);
  await heartbeat('dead', 16);
  await lockedJob('busy', 3_600);
  await heartbeat('busy', 14);
  await lockedJob('new', 14);
  expect(await writeHeartbeat(db, 'asking')).toEqual(['dead']);
  expect(await lockOf('dead')).toBeNull();
  expect(await lockOf('busy')).toBe('busy');
  expect(await lockOf('new')).toBe('new');
});

test('a worker that was paused for longer does not take its own jobs for those of a dead one', async () => {
  await lockedJob('paused', 60);
  await heartbeat('paused', 60);
  expect(await writeHeartbeat(db, 'paused')).not.toContain('paused');
  expect(await lockOf('paused')).toBe('paused');
});

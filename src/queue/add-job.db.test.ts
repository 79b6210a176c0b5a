import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenDatabase, openTestDatabase } from '#run/testing/open-database.ts';
import { addJob, addJobs } from './add-job.ts';

let database: OpenDatabase;
let db: OpenDatabase['db'];

beforeAll(async () => {
  database = await openTestDatabase();
  db = database.db;
});
afterAll(() => database.close());

function jobs(task: string) {
  return db.$queryRaw<{ payload: unknown; key: string | null; max_attempts: number; priority: number }[]>`
    SELECT j.payload, j.key, j.max_attempts::int, j.priority::int
    FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
    WHERE t.identifier = ${task} ORDER BY j.id`;
}

test('a job has what it was given, and otherwise 25 attempts, priority 0 and no key', async () => {
  const task = randomUUID();
  await addJob(db, { task, payload: { id: 1 } });
  await addJob(db, { task, payload: { id: 2 }, key: 'two', maxAttempts: 3, priority: -10 });
  expect(await jobs(task)).toEqual([
    { payload: { id: 1 }, key: null, max_attempts: 25, priority: 0 },
    { payload: { id: 2 }, key: 'two', max_attempts: 3, priority: -10 },
  ]);
});

test('many jobs of one statement are as many jobs, in their order, each with its own priority', async () => {
  const task = randomUUID();
  const job = (id: number, priority: number) => ({ payload: { id }, key: `${task}:${id}`, priority });
  await addJobs(db, { task, maxAttempts: 7 }, [job(1, 20), job(2, 10), job(3, 20)]);
  expect(await jobs(task)).toEqual(
    [job(1, 20), job(2, 10), job(3, 20)].map((one) => ({ ...one, max_attempts: 7 })),
  );
});

test('a second job under the same key replaces the one that waits', async () => {
  const task = randomUUID();
  await addJob(db, { task, payload: { id: 1 }, key: task });
  await addJob(db, { task, payload: { id: 2 }, key: task });
  expect(await jobs(task)).toMatchObject([{ payload: { id: 2 } }]);
});

test('a job is enqueued with its transaction, or not at all', async () => {
  const task = randomUUID();
  const failed = db.$transaction(async (tx) => {
    await addJob(tx, { task, payload: {} });
    throw new Error('rolled back');
  });
  await expect(failed).rejects.toThrow('rolled back');
  expect(await jobs(task)).toEqual([]);
});

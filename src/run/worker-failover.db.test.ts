import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { inCheckout } from './checkout.ts';
import { withClient } from './database-client.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { applyMigrations } from './migrate.ts';
import { childEnvironment } from './testing/child-environment.ts';

/** A PostgreSQL of its own, which is stopped and killed under a worker that runs as in production. */
let directory: string;
let server: EmbeddedPostgres;
let worker: ChildProcess;
let output = '';

const jobsAtOnce = 8;

async function startServer(port?: number): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({
    directory: path.join(directory, 'postgres'),
    password: 'secret',
    logFile: path.join(directory, 'postgres.log'),
    durable: false,
    ...(port !== undefined && { port }),
  });
}

beforeAll(async () => {
  directory = mkdtempSync(path.join(os.tmpdir(), 'paidonce-failover-'));
  chmodSync(directory, 0o711);
  server = await startServer();
  await applyMigrations(server.url('postgres'));
}, 60_000);
afterEach(() => worker.kill('SIGKILL'));
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
}, 60_000);

function startWorker(): void {
  output = '';
  worker = spawn(process.execPath, [inCheckout('src', 'worker.ts')], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      NODE_ENV: 'production',
      ...childEnvironment(),
      DATABASE_URL: server.url('postgres'),
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
      // No provider listens there; these jobs need none.
      SANDBOX_URL: 'http://127.0.0.1:9',
      SANDBOX_SECRET_KEY: 'sk_test_unused',
      SANDBOX_WEBHOOK_SECRET: 'whsec_unused',
    },
  });
  for (const stream of [worker.stdout, worker.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
    });
  }
}

async function stopWorker(): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
}

const isRunning = () => worker.exitCode === null && worker.signalCode === null;

/** Each about an event that has nothing to do with an operation of ours. */
async function addJobs(count: number): Promise<void> {
  await withClient(server.url('postgres'), (client) =>
    client.query(
      `WITH event AS (
         INSERT INTO provider_event (provider, event_id, type) SELECT 'stripe', gen_random_uuid(), 'balance.available'
         FROM generate_series(1, $1) RETURNING id)
       SELECT graphile_worker.add_job('provider_event', json_build_object('id', id)) FROM event`,
      [count],
    ),
  );
}

async function countJobs(): Promise<number> {
  const { rows } = await withClient(server.url('postgres'), (client) =>
    client.query('SELECT count(*)::int AS count FROM graphile_worker.jobs'),
  );
  return rows[0].count;
}

/** Resolves when the worker executes as many jobs as it can, none of which can end before the database does. */
async function holdJobs(): Promise<void> {
  const holder = new pg.Client({ connectionString: server.url('postgres') });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE provider_event IN SHARE MODE');
  const locked = async () => {
    const { rows } = await holder.query(
      `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'provider_event'::regclass AND NOT granted`,
    );
    return rows[0].count;
  };
  await expect.poll(locked, { timeout: 20_000 }).toBe(jobsAtOnce);
}

test.each([
  ['stopped', () => server.stop()],
  ['killed', async () => void process.kill(server.server.pid, 'SIGKILL')],
])(
  'when PostgreSQL is %s among jobs, the worker stays, and goes on within seconds of it',
  async (_, end) => {
    startWorker();
    await once(worker, 'message');
    await addJobs(3 * jobsAtOnce);
    await holdJobs();
    await end();
    await server.exited;
    await expect.poll(() => output, { timeout: 20_000 }).toContain('the job queue stopped');
    server = await startServer(server.port);
    await expect.poll(countJobs, { timeout: 20_000 }).toBe(0);
    expect(isRunning(), output).toBe(true);
    await stopWorker();
  },
  60_000,
);

test('a worker that is started while PostgreSQL is away waits for it', async () => {
  await server.stop();
  startWorker();
  const ready = once(worker, 'message');
  await expect.poll(() => output, { timeout: 20_000 }).toContain('the job queue does not respond');
  server = await startServer(server.port);
  await ready;
  await addJobs(1);
  await expect.poll(countJobs, { timeout: 20_000 }).toBe(0);
  await stopWorker();
}, 60_000);

test('a worker ends on a signal, although PostgreSQL is away', async () => {
  startWorker();
  await once(worker, 'message');
  await server.stop();
  await stopWorker();
  server = await startServer(server.port);
}, 60_000);

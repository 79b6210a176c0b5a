import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { childEnvironment } from '#run/testing/child-environment.ts';
import type { TenantRow } from '../tenant-row.ts';
import { testResponseKeys } from './keys.ts';

export interface WorkerProcess {
  readonly child: ChildProcess;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** The worker as it runs in production, in a process of its own. */
export async function startWorkerProcess(
  databaseUrl: string,
  mail?: { readonly smtpUrl: string; readonly from: string },
): Promise<WorkerProcess> {
  const child = fork(path.resolve('src/worker.ts'), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'production',
      ...childEnvironment(),
      DATABASE_URL: databaseUrl,
      AUTH_SECRET: randomBytes(32).toString('base64url'),
      RESPONSE_KEYS: testResponseKeys,
      // No provider listens there; these tests do not need one.
      SANDBOX_URL: 'http://127.0.0.1:9',
      SANDBOX_SECRET_KEY: 'sk_test_unused',
      SANDBOX_WEBHOOK_SECRET: 'whsec_unused',
      LOG_LEVEL: 'warn',
      ...(mail && { SMTP_URL: mail.smtpUrl, MAIL_FROM: mail.from }),
    },
  });
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The worker ended before it was ready.'))),
  ]);
  return {
    child,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
  };
}

/**
 * Locks a row, so that the worker that sent its message cannot write the result; `killWriter` waits until it tries, kills
 * the worker, and unlocks the row. Its database session is ended too: PostgreSQL would otherwise carry out a dead
 * client's last statement.
 */
export async function holdRow(
  databaseUrl: string,
  table: 'email' | 'merchant_webhook_delivery',
  { tenantId, id }: TenantRow,
): Promise<{ killWriter(worker: WorkerProcess): Promise<void> }> {
  const holder = new pg.Client({ connectionString: databaseUrl });
  await holder.connect();
  await holder.query('BEGIN');
  await holder.query(`SELECT FROM ${table} WHERE tenant_id = $1 AND id = $2 FOR UPDATE`, [tenantId, id]);
  return {
    async killWriter(worker) {
      const waiting = `SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
      // PostgreSQL does not notify when a session begins to wait, so this polls.
      while ((await holder.query(waiting)).rowCount === 0) await delay(10);
      await worker.end('SIGKILL');
      await holder.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) w`);
      // The session must have ended before the row is unlocked.
      while (((await holder.query(waiting)).rowCount ?? 0) > 0) await delay(10);
      await holder.query('ROLLBACK');
      await holder.end();
    },
  };
}

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPgBouncer, openPgBouncer, type PgBouncer } from '#run/testing/pgbouncer.ts';
import { type AppProcess, call, openSystem, type System } from './testing/app-process.ts';

const program = await findPgBouncer();

describe.skipIf(!program)(
  'behind PgBouncer in transaction mode (skipped where it cannot be installed)',
  () => {
    let system: System;
    let bouncer: PgBouncer;
    let app: AppProcess;
    let worker: AppProcess;
    let apiKey: string;

    beforeAll(async () => {
      system = await openSystem();
      // As it comes: no startup parameter is ignored, and sessions go from one client to the next.
      const { username } = new URL(system.database.url);
      bouncer = await openPgBouncer(program ?? '', system.database.url, { stats_users: username });
      const addresses = {
        DATABASE_URL: bouncer.url,
        DIRECT_DATABASE_URL: system.database.url,
        PROVIDER_TIMEOUT_MS: '3000',
        LEASE_MS: '9000',
      };
      [app, worker] = await Promise.all([system.startApi(addresses), system.startWorker(addresses)]);
      apiKey = system.tenants[0].apiKeys[0];
    });
    afterAll(async () => {
      await Promise.all([app.kill('SIGTERM'), worker.kill('SIGTERM')]);
      // Its sessions stay open after its clients have gone.
      await bouncer.close();
      await system.close();
    });

    const payment = (over: Record<string, unknown> = {}) => ({
      amountMinor: 1200,
      currency: 'usd',
      paymentMethod: 'pm_card_visa',
      reference: `invoice-${randomUUID()}`,
      receiptEmail: `${randomUUID()}@shop.example`,
      ...over,
    });
    /** As a merchant does, who sends it again when a busy machine was too slow for the short timeout of these tests. */
    async function pay(key: string, body: unknown) {
      for (;;) {
        const response = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
        if (response.status !== 503 || response.json.code !== 'provider_unavailable') return response;
      }
    }

    test('it is ready', async () => {
      const response = await fetch(`${app.url}/api/ready`);
      expect([response.status, await response.json()]).toMatchObject([200, { checks: { database: 'ok' } }]);
    });

    test('LISTEN is not among its clients: each process has one session of PostgreSQL itself for it', async () => {
      const name = 'paidonce-listen';
      // The API opens its one when a key is first looked up.
      await pay(randomUUID(), payment());
      const sessions = () =>
        system.db
          .$queryRaw`SELECT pid FROM pg_stat_activity WHERE application_name = ${name} AND datname = current_database()`;
      await expect.poll(sessions, { timeout: 30_000 }).toHaveLength(2);
      const clients = await listClients(bouncer);
      expect(clients).not.toEqual([]);
      expect(clients).not.toContain(name);
    });

    test('many payments at once are each paid once, and every retry gets the same bytes', async () => {
      const payments = Array.from({ length: 12 }, () => ({ key: randomUUID(), body: payment() }));
      const first = await Promise.all(payments.map(({ key, body }) => pay(key, body)));
      expect(new Set(first.map(({ status }) => status))).toEqual(new Set([201]));
      const again = await Promise.all(payments.map(({ key, body }) => pay(key, body)));
      expect(again.map(({ text }) => text)).toEqual(first.map(({ text }) => text));
      for (const { body } of payments) expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    });

    test('an unknown outcome is resolved by the worker, and its receipt is written', async () => {
      const key = randomUUID();
      const body = payment({ paymentMethod: 'pm_fault_charged_no_response' });
      await system.sandbox.control('webhooks', { on: false });
      const pending = await pay(key, body);
      expect([pending.status, pending.json.code]).toEqual([202, 'operation_unknown']);
      await system.untilRecord(key, 'completed');
      const receipts = () => system.db.email.count({ where: { toAddress: body.receiptEmail } });
      await expect.poll(receipts, { timeout: 30_000 }).toBe(1);
      expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    });

    test('jobs are run: none waits, and none has failed', async () => {
      const left = () =>
        system.db
          .$queryRaw`SELECT task_identifier, last_error FROM graphile_worker.jobs WHERE run_at < now()`;
      await expect.poll(left, { timeout: 30_000 }).toEqual([]);
      expect(worker.output()).not.toContain('prepared statement');
    });
  },
);

/** The names under which its clients have connected. */
async function listClients({ url }: PgBouncer): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: new URL('/pgbouncer', url).href });
  await client.connect();
  try {
    const { rows } = await client.query('SHOW CLIENTS');
    return rows.filter(({ database }) => database !== 'pgbouncer').map((row) => row.application_name);
  } finally {
    await client.end();
  }
}

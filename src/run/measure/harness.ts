import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import { usedEventTypes } from '#payments/stripe/event-types.ts';
import { hashSources, isBuilt, recordBuild } from '#run/build.ts';
import { checkout, inCheckout } from '#run/checkout.ts';
import { findFreePort } from '#run/free-port.ts';
import { applyMigrations } from '#run/migrate.ts';
import { PlainError } from '#run/plain-error.ts';
import { startScratchPostgres } from '#run/scratch-postgres.ts';

export interface Running {
  readonly url: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

const next = inCheckout('node_modules', 'next', 'dist', 'bin', 'next');
const leaseMs = 30_000;

/** The processes as they run in production, with the default deadlines, on a PostgreSQL that is deleted afterwards. */
export async function openHarness() {
  await buildApp();
  const server = await startScratchPostgres({ durable: true });
  const pool = new pg.Pool({ connectionString: server.url('paidonce'), max: 4 });
  pool.on('error', () => undefined);
  const children = new Set<ChildProcess>();
  const ports = { app: await findFreePort(), sandbox: await findFreePort() };
  const sandboxUrl = `http://127.0.0.1:${ports.sandbox}`;
  const secrets = {
    SANDBOX_SECRET_KEY: `sk_test_${randomBytes(16).toString('hex')}`,
    SANDBOX_WEBHOOK_SECRET: `whsec_${randomBytes(16).toString('hex')}`,
  };
  const base: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    PATH: process.env.PATH,
    NEXT_TELEMETRY_DISABLED: '1',
    LOG_LEVEL: 'error',
  };
  const env = {
    ...base,
    ...secrets,
    DATABASE_URL: server.url('paidonce'),
    SANDBOX_URL: sandboxUrl,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `measure:${randomBytes(32).toString('base64')}`,
    LEASE_MS: String(leaseMs),
  };

  async function start(args: string[], more: NodeJS.ProcessEnv, url = ''): Promise<Running> {
    const child = spawn(process.execPath, args, {
      env: more,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    await (url ? untilHealthy(`${url}/api/health`) : once(child, 'message'));
    return { url, stop: (signal = 'SIGTERM') => end(child, signal) };
  }

  async function close(): Promise<void> {
    await Promise.all([...children].map((child) => end(child, 'SIGTERM')));
    await pool.end();
    await server.stop();
  }

  const [tenantId, key] = [randomUUID(), mintApiKey()];
  try {
    const admin = new pg.Client({ connectionString: server.url('postgres') });
    await admin.connect();
    for (const name of ['paidonce', 'sandbox']) await admin.query(`CREATE DATABASE ${name}`);
    await admin.end();
    await applyMigrations(server.url('paidonce'));
    await pool.query(`INSERT INTO organization (id, name, slug) VALUES ($1, 'Measure', 'measure')`, [
      tenantId,
    ]);
    await pool.query(`INSERT INTO api_key (tenant_id, name, prefix, hash) VALUES ($1, 'measure', $2, $3)`, [
      tenantId,
      key.prefix,
      key.hash,
    ]);
    await start([inCheckout('src', 'sandbox', 'main.ts')], {
      ...base,
      ...secrets,
      SANDBOX_DATABASE_URL: server.url('sandbox'),
      SANDBOX_PORT: String(ports.sandbox),
      SANDBOX_WEBHOOK_URL: `http://127.0.0.1:${ports.app}/api/webhooks/stripe`,
      SANDBOX_WEBHOOK_EVENTS: usedEventTypes.join(','),
    });
  } catch (error) {
    await close();
    throw error;
  }

  return {
    pool,
    apiKey: key.token,
    leaseMs,
    close,
    /** Webhooks go to the default port. */
    async startApp(port = ports.app): Promise<Running> {
      const url = `http://127.0.0.1:${port}`;
      const settings = { ...env, PORT: String(port), PUBLIC_URL: url };
      return start([next, 'start', '-H', '127.0.0.1', '-p', String(port)], settings, url);
    },
    /** The API without Next. */
    async startApi(port?: number): Promise<Running> {
      const apiPort = port ?? (await findFreePort());
      const url = `http://127.0.0.1:${apiPort}`;
      const settings = { ...env, API_PORT: String(apiPort), PUBLIC_URL: url };
      return start([inCheckout('src', 'api.ts')], settings, url);
    },
    startWorker: () => start([inCheckout('src', 'worker.ts')], env),
    async control(path: string, body: object): Promise<void> {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`${sandboxUrl}/_sandbox/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`The sandbox responded with ${response.status} to ${path}.`);
    },
    /** Succeeded charges in the provider's own ledger, by reference. */
    async charges(): Promise<Map<string, number>> {
      const response = await fetch(`${sandboxUrl}/_sandbox/charges`);
      const { data } = (await response.json()) as {
        data: { status: string; metadata: { reference: string } }[];
      };
      const counts = new Map<string, number>();
      for (const { status, metadata } of data) {
        if (status === 'succeeded') counts.set(metadata.reference, (counts.get(metadata.reference) ?? 0) + 1);
      }
      return counts;
    },
    async pay(url: string, reference: string, paymentMethod: string, idempotencyKey = randomUUID()) {
      const response = await fetch(`${url}/api/v1/payments`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
        },
        body: JSON.stringify({ amountMinor: 1000, currency: 'usd', paymentMethod, reference }),
      });
      await response.body?.cancel();
      return response.status;
    },
    /** Queries a count until it is zero. */
    async untilNone(sql: string, values: unknown[] = []): Promise<void> {
      for (;;) {
        const { rows } = await pool.query<{ count: number }>(sql, values);
        if (rows[0]?.count === 0) return;
        await delay(100);
      }
    },
  };
}

export type Harness = Awaited<ReturnType<typeof openHarness>>;

/** Works on `atOnce` items at a time until all are done. */
export async function each<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

async function buildApp(): Promise<void> {
  const hash = hashSources();
  if (isBuilt(hash)) return;
  const env: NodeJS.ProcessEnv = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };
  const build = spawn(process.execPath, [next, 'build'], { cwd: checkout, env, stdio: 'inherit' });
  const [code] = await once(build, 'exit');
  if (code !== 0) throw new PlainError('The production build failed.');
  recordBuild(hash);
}

async function untilHealthy(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(50);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

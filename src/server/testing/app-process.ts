import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import type { OperationRef } from '#idempotency/index.ts';
import { assertLedgersAgree } from '#payments/testing/ledgers-agree.ts';
import { childEnvironment } from '#run/testing/child-environment.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { findFreePort } from '#run/testing/ports.ts';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { openDatabase } from '../database.ts';
import { differencesFromDescription } from './described-response.ts';

/** The production build in any number of processes, on one PostgreSQL and one sandbox. */
export interface System {
  readonly database: TestDatabase;
  readonly db: ReturnType<typeof openDatabase>;
  readonly sandbox: TestSandbox;
  readonly tenants: readonly [SystemTenant, SystemTenant];
  startApp(over?: Record<string, string>): Promise<AppProcess>;
  /** The API without Next. */
  startApi(over?: Record<string, string>): Promise<AppProcess>;
  startWorker(over?: Record<string, string>): Promise<AppProcess>;
  /** Resolves when the record of a key of the first tenant is in a status. */
  untilRecord(key: string, status: string): Promise<OperationRef & { readonly recoveryPoint: string }>;
  untilCharged(reference: string): Promise<void>;
  untilProviderEvent(operation: OperationRef, type: string): Promise<void>;
  /** Resolves when a worker has compared the database, under the identity that it has now, with the provider. */
  untilCompared(): Promise<void>;
  /** Ends the lease now, as if the owner had been silent for all of it. */
  expireLease(operation: OperationRef): Promise<void>;
  close(): Promise<void>;
}

export interface SystemTenant {
  readonly id: string;
  readonly slug: string;
  /** Two API keys of one tenant: one principal. */
  readonly apiKeys: readonly [string, string];
}

export interface AppProcess {
  readonly url: string;
  /** Its log, as written to stdout. */
  output(): string;
  /** What it wrote to stderr, where Node and Next print what the log does not take. */
  errors(): string;
  /** Ends it, and waits for that. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** For signals that do not end it. */
  signal(signal: NodeJS.Signals): void;
}

const next = path.resolve('node_modules/next/dist/bin/next');

export async function openSystem(
  options: { readonly webhookEvents?: readonly string[]; readonly sandboxLogLevel?: string } = {},
): Promise<System> {
  const { sandboxLogLevel: logLevel, ...webhooks } = options;
  // The first app has the address that the sandbox sends its webhooks to.
  const ports = [await findFreePort()];
  const [database, sandbox] = await Promise.all([
    createTestDatabase({ template: 'app' }),
    startSandbox({
      webhookUrl: `http://127.0.0.1:${ports[0]}/api/webhooks/stripe`,
      ...webhooks,
      ...(logLevel && { logLevel }),
    }),
  ]);
  const db = openDatabase(database.url);
  const tenants = [await createTenant(db, 'acme'), await createTenant(db, 'globex')] as const;
  const children = new Set<ChildProcess>();
  const settings: NodeJS.ProcessEnv = {
    NODE_ENV: 'production',
    ...childEnvironment(),
    NEXT_TELEMETRY_DISABLED: '1',
    DATABASE_URL: database.url,
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET_KEY: sandbox.secretKey,
    SANDBOX_WEBHOOK_SECRET: sandbox.webhookSecret,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
    PROVIDER_TIMEOUT_MS: '1000',
    LEASE_MS: '3000',
    LOG_LEVEL: 'warn',
  };

  async function start(
    args: string[],
    env: NodeJS.ProcessEnv,
    ready: (child: ChildProcess) => Promise<unknown>,
  ) {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    children.add(child);
    let output = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
      process.stderr.write(text);
    });
    const died = once(child, 'exit').then(([code]) => {
      children.delete(child);
      throw new Error(`${args[0]} ended with ${code} before it was ready.`);
    });
    await Promise.race([ready(child), died]);
    died.catch(() => undefined);
    return {
      output: () => output,
      errors: () => errors,
      kill: (signal: NodeJS.Signals) => end(child, signal),
      signal: (signal: NodeJS.Signals) => void child.kill(signal),
    };
  }

  return {
    database,
    db,
    sandbox,
    tenants,
    async startApp(over = {}) {
      const port = String(ports.shift() ?? (await findFreePort()));
      const url = `http://127.0.0.1:${port}`;
      const env = { ...settings, PORT: port, PUBLIC_URL: url, ...over };
      const args = [next, 'start', '-H', '127.0.0.1', '-p', port];
      return { url, ...(await start(args, env, () => untilHealthy(url))) };
    },
    async startApi(over = {}) {
      const port = String(ports.shift() ?? (await findFreePort()));
      const url = `http://127.0.0.1:${port}`;
      const env = { ...settings, API_PORT: port, PUBLIC_URL: url, ...over };
      return { url, ...(await start([path.resolve('src/api.ts')], env, (child) => once(child, 'message'))) };
    },
    async startWorker(over = {}) {
      const env = { ...settings, ...over };
      const ready = (child: ChildProcess) => once(child, 'message');
      return { url: '', ...(await start([path.resolve('src/worker.ts')], env, ready)) };
    },
    untilRecord: (key, status) =>
      until(() => db.idempotencyRecord.findFirst({ where: { tenantId: tenants[0].id, key, status } })),
    async untilCharged(reference) {
      await until(async () => ((await sandbox.charges(reference)).length > 0 ? true : null));
    },
    async untilProviderEvent({ tenantId, id }, type) {
      const where = { tenantId, operationId: id, type, status: 'processed' };
      await until(() => db.providerEvent.findFirst({ where }));
    },
    async untilCompared() {
      await until(async () => {
        const [row] = await db.$queryRaw<unknown[]>`
          SELECT FROM database_history WHERE identity = database_identity() AND compared_at IS NOT NULL`;
        return row ?? null;
      });
    },
    async expireLease({ tenantId, id }) {
      await db.$executeRaw`
        UPDATE idempotency_record SET lease_until = clock_timestamp()
        WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
    },
    async close() {
      await Promise.all([...children].map((child) => end(child, 'SIGTERM')));
      try {
        for (const { id } of tenants) await assertLedgersAgree(db, sandbox.url, id);
      } finally {
        await db.$disconnect();
        await Promise.all([sandbox.stop(), database.drop()]);
      }
    },
  };
}

/** Polls the database for the work of other processes. The test's own timeout ends it. */
async function until<T>(read: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const found = await read();
    if (found !== null) return found;
    await delay(20);
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

/** Polls, because a starting server gives no other signal. */
async function untilHealthy(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/api/health`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok) return;
    await delay(50);
  }
}

async function createTenant(db: ReturnType<typeof openDatabase>, slug: string): Promise<SystemTenant> {
  const { id } = await db.organization.create({ data: { id: randomUUID(), name: slug, slug } });
  const keys = [mintApiKey(), mintApiKey()] as const;
  await db.apiKey.createMany({
    data: keys.map(({ prefix, hash }, index) => ({ tenantId: id, name: `key ${index}`, prefix, hash })),
  });
  return { id, slug, apiKeys: [keys[0].token, keys[1].token] };
}

export interface ApiResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  /** The parsed body. */
  readonly json: Record<string, unknown>;
}

export async function call(
  url: string,
  apiKey: string,
  request: { method?: string; key?: string | string[]; body?: unknown; contentType?: string } = {},
): Promise<ApiResponse> {
  const headers = new Headers({ Authorization: `Bearer ${apiKey}` });
  if (request.body !== undefined) headers.set('Content-Type', request.contentType ?? 'application/json');
  for (const key of [request.key ?? []].flat()) headers.append('Idempotency-Key', key);
  const method = request.method ?? (request.body === undefined ? 'GET' : 'POST');
  const response = await fetch(url, {
    method,
    headers,
    ...(request.body !== undefined && {
      body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body),
    }),
  });
  const text = await response.text();
  const given = { method, url, status: response.status, headers: response.headers, text };
  const differences = differencesFromDescription(given);
  if (differences.length > 0) {
    throw new Error(
      `${method} ${url} differs from the API's description: ${differences.join('; ')}\n${text}`,
    );
  }
  return { status: response.status, text, headers: response.headers, json: text ? JSON.parse(text) : {} };
}

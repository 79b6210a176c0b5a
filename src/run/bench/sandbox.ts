import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { usedEventTypes } from '#payments/stripe/event-types.ts';
import { startScratchPostgres } from '../scratch-postgres.ts';

/*
 * How many payments the sandbox makes by itself: each is a create and a confirm, over HTTP on connections that are kept,
 * against a durable PostgreSQL on the same machine. The client is as cheap as possible, because it takes its share of the
 * same cores; the official SDK would cost more than the sandbox.
 */

export interface SandboxBenchOptions {
  readonly callers: number;
  readonly seconds: number;
  /** Whether an endpoint is registered, for the events that the application subscribes to, that accepts each at once. */
  readonly webhooks: boolean;
  /** The process that is measured. */
  readonly main?: string;
}

export interface SandboxBenchResult {
  readonly pairs: number;
  readonly pairsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const secretKey = 'sk_test_for_the_bench';

export async function benchSandbox(options: SandboxBenchOptions): Promise<SandboxBenchResult> {
  const postgres = await startScratchPostgres({ durable: true });
  const receiver = options.webhooks ? await openReceiver() : undefined;
  try {
    await createDatabase(postgres.url('postgres'));
    const sandbox = await startSandbox(options, postgres.url('sandbox'), receiver?.url);
    try {
      return await measure(sandbox.url, options);
    } finally {
      sandbox.child.kill('SIGTERM');
      await once(sandbox.child, 'exit');
    }
  } finally {
    await receiver?.close();
    await postgres.stop();
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE DATABASE sandbox');
  await client.end();
}

async function startSandbox(
  { main = 'src/sandbox/main.ts' }: SandboxBenchOptions,
  databaseUrl: string,
  webhookUrl: string | undefined,
): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(path.resolve(main), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'production',
      PATH: process.env.PATH ?? '',
      SANDBOX_DATABASE_URL: databaseUrl,
      SANDBOX_PORT: '0',
      SANDBOX_SECRET_KEY: secretKey,
      LOG_LEVEL: 'warn',
      ...(webhookUrl && {
        SANDBOX_WEBHOOK_URL: webhookUrl,
        SANDBOX_WEBHOOK_SECRET: 'whsec_bench',
        SANDBOX_WEBHOOK_EVENTS: usedEventTypes.join(','),
      }),
    },
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { child, url };
}

async function openReceiver(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => response.writeHead(200).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function measure(url: string, { callers, seconds }: SandboxBenchOptions): Promise<SandboxBenchResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const durations: number[] = [];
  const run = async (until: number, record: boolean) => {
    while (performance.now() < until) {
      const started = performance.now();
      await makePayment(url, agent);
      if (record) durations.push(performance.now() - started);
    }
  };
  const all = (until: number, record: boolean) =>
    Promise.all(Array.from({ length: callers }, () => run(until, record)));
  // The first second compiles the code and fills the caches.
  await all(performance.now() + 1_000, false);
  const started = performance.now();
  await all(started + seconds * 1_000, true);
  const elapsedSeconds = (performance.now() - started) / 1_000;
  agent.destroy();
  durations.sort((left, right) => left - right);
  return {
    pairs: durations.length,
    pairsPerSecond: durations.length / elapsedSeconds,
    p50Ms: durations[Math.floor(durations.length * 0.5)] ?? 0,
    p99Ms: durations[Math.floor(durations.length * 0.99)] ?? 0,
  };
}

/** The two calls that the application makes for a payment, with the parameters that it sends. */
async function makePayment(url: string, agent: Agent): Promise<void> {
  const reference = randomUUID();
  const metadata = `metadata[operation]=${reference}&metadata[generation]=1&metadata[reference]=${reference}&metadata[payment_method]=pm_card_visa&metadata[paidonce_tenant]=bench`;
  const created = await post(
    `${url}/v1/payment_intents`,
    `amount=1200&currency=usd&payment_method=pm_card_visa&allowed_payment_method_types[0]=card&${metadata}`,
    `paidonce-${reference}-1-create`,
    agent,
  );
  const { id } = JSON.parse(created) as { id: string };
  await post(
    `${url}/v1/payment_intents/${id}/confirm`,
    'expand[0]=latest_charge&return_url=https%3A%2F%2Fshop.test%2Fback',
    `paidonce-${reference}-1-confirm`,
    agent,
  );
}

function post(url: string, body: string, key: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
        'content-length': Buffer.byteLength(body),
        'idempotency-key': key,
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`The sandbox responded with ${response.statusCode}: ${text}`));
      });
    });
    outgoing.end(body);
  });
}

if (process.argv[1] === import.meta.filename) {
  for (const webhooks of [false, true]) {
    for (const callers of [1, 32]) {
      const { pairsPerSecond, p50Ms, p99Ms } = await benchSandbox({ callers, seconds: 5, webhooks });
      process.stdout.write(
        `${callers} callers, ${webhooks ? 'with' : 'without'} webhooks: ${pairsPerSecond.toFixed(0)} payments/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms\n`,
      );
    }
  }
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { childEnvironment } from './child-environment.ts';
import { createTestDatabase, withClient } from './database.ts';

export interface TestSandbox {
  readonly url: string;
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Its log. */
  output(): string;
  /** Charges in the provider's own ledger, which tests count. */
  charges(reference: string): Promise<{ id: string; status: string; amount: number }[]>;
  /** The refunds that one operation made, oldest first. */
  refundsOf(operationId: string): Promise<SandboxRefund[]>;
  /** How many intents were created for a reference, charged or not. */
  intents(reference: string): Promise<number>;
  control(path: string, body: unknown): Promise<void>;
  /** As if a day had passed: the provider no longer remembers any idempotency key. */
  forgetKeys(): Promise<void>;
  stop(): Promise<void>;
}

export interface SandboxRefund {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The real sandbox process on a database of its own, reached only over HTTP. */
export async function startSandbox(
  options: {
    webhookUrl?: string;
    /** All, unless given. */
    webhookEvents?: readonly string[];
    logLevel?: string;
  } = {},
): Promise<TestSandbox> {
  const database = await createTestDatabase();
  const secretKey = 'sk_test_for_tests_only';
  const webhookSecret = 'whsec_for_tests_only';
  const child = fork(path.resolve('src/sandbox/main.ts'), {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: {
      NODE_ENV: 'test',
      ...childEnvironment(),
      SANDBOX_DATABASE_URL: database.url,
      SANDBOX_PORT: '0',
      SANDBOX_SECRET_KEY: secretKey,
      LOG_LEVEL: options.logLevel ?? 'warn',
      ...(options.webhookUrl && {
        SANDBOX_WEBHOOK_URL: options.webhookUrl,
        SANDBOX_WEBHOOK_SECRET: webhookSecret,
        SANDBOX_WEBHOOK_EVENTS: options.webhookEvents?.join(',') ?? '',
      }),
    },
  });
  let output = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [message] = (await once(child, 'message')) as [{ url: string }];
  const { url } = message;

  return {
    url,
    secretKey,
    webhookSecret,
    output: () => output,
    async charges(reference) {
      const response = await fetch(`${url}/_sandbox/charges?reference=${encodeURIComponent(reference)}`);
      const { data } = (await response.json()) as { data: { id: string; status: string; amount: number }[] };
      return data;
    },
    async refundsOf(operationId) {
      const response = await fetch(`${url}/_sandbox/refunds`);
      const { data } = (await response.json()) as { data: SandboxRefund[] };
      return data.filter(({ metadata }) => metadata.operation === operationId);
    },
    async intents(reference) {
      const query = encodeURIComponent(`metadata['reference']:'${reference}'`);
      const response = await fetch(`${url}/v1/payment_intents/search?query=${query}`, {
        headers: { authorization: `Bearer ${secretKey}` },
      });
      return ((await response.json()) as { data: unknown[] }).data.length;
    },
    async control(path, body) {
      const response = await fetch(`${url}/_sandbox/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`The sandbox responded with ${response.status} to ${path}.`);
    },
    forgetKeys: () =>
      withClient(database.url, async (client) => {
        await client.query('UPDATE idempotency_keys SET created_ms = 0');
      }),
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
      await database.drop();
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { childEnvironment } from '#run/testing/child-environment.ts';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { CARD_ONLY, control, failure, SECRET_KEY, stripeAt } from './testing/harness.ts';
import { isAbout, openReceiver } from './testing/webhook-receiver.ts';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

let database: TestDatabase;
const running = new Set<ChildProcess>();
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')));
  await database.drop();
});

function launch(env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...childEnvironment(),
      SANDBOX_DATABASE_URL: database.url,
      SANDBOX_PORT: '0',
      SANDBOX_SECRET_KEY: SECRET_KEY,
      LOG_LEVEL: 'silent',
      ...env,
    } as unknown as NodeJS.ProcessEnv,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function start(env: Record<string, string> = {}): Promise<{ child: ChildProcess; url: string }> {
  const child = launch(env);
  const [message] = (await once(child, 'message')) as [{ type: string; url: string }];
  expect(message.type).toBe('ready');
  return { child, url: message.url };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exited)[0];
}

async function refusal(env: Record<string, string>): Promise<{ code: number | null; sentence: string }> {
  const child = launch(env);
  let sentence = '';
  child.stderr?.on('data', (chunk) => {
    sentence += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, sentence };
}

const params = { ...CARD_ONLY, amount: 900, currency: 'usd', payment_method: 'pm_card_visa', confirm: true };

describe('starting', () => {
  test.each([
    ['real Stripe keys are set', { STRIPE_SECRET_KEY: 'sk_live_x' }, 'STRIPE_SECRET_KEY'],
    ['the secret key is not a test key', { SANDBOX_SECRET_KEY: 'sk_live_x' }, 'SANDBOX_SECRET_KEY'],
    ['the webhook has no secret', { SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:1' }, 'SANDBOX_WEBHOOK_SECRET'],
    ['the database is dead', { SANDBOX_DATABASE_URL: 'postgres://u:hush@127.0.0.1:1/none' }, 'database'],
  ])('is refused in one sentence when %s', async (_name, env, expected) => {
    const { code, sentence } = await refusal(env as unknown as Record<string, string>);
    expect(code).toBe(1);
    expect(sentence).toContain(expected);
    expect(sentence.trim().split('\n')).toHaveLength(1);
    expect(sentence).not.toMatch(/sk_live_x|hush/);
  });

  test('is refused in one sentence when the port is taken', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as { port: number };
    const { code, sentence } = await refusal({ SANDBOX_PORT: String(port) });
    occupant.close();
    expect(code).toBe(1);
    expect(sentence).toContain('port is taken');
  });

  test('succeeds in two processes at once on one empty database', async () => {
    const env = { SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:1/hooks', SANDBOX_WEBHOOK_SECRET: 'whsec_twice' };
    const both = await Promise.all([start(env), start(env)]);
    for (const { url } of both) {
      expect(await control(url, '/health')).toEqual({ status: 'ok' });
      expect((await stripeAt(url).webhookEndpoints.list()).data).toHaveLength(1);
    }
  });
});

test('a start with another webhook URL moves the endpoint, instead of sending to the old URL as well', async () => {
  const secret = { SANDBOX_WEBHOOK_SECRET: 'whsec_moved' };
  const before = await start({ SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:1/hooks', ...secret });
  await end(before.child, 'SIGTERM');
  const after = await start({ SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:2/hooks', ...secret });
  const { data } = await stripeAt(after.url).webhookEndpoints.list();
  expect(data.map(({ url }) => url)).toEqual(['http://127.0.0.1:2/hooks']);
});

describe('stopping', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the process with code 0 within two seconds, although a connection hangs',
    async (signal) => {
      const { child, url } = await start();
      const intent = await stripeAt(url).paymentIntents.create({
        ...CARD_ONLY,
        amount: 500,
        currency: 'usd',
        payment_method: 'pm_fault_charged_no_response',
      });
      const hanging = failure(stripeAt(url).paymentIntents.confirm(intent.id));
      await expect
        .poll(async () => (await control<{ data: object[] }>(url, `/charges?intent=${intent.id}`)).data)
        .toHaveLength(1);
      const started = performance.now();
      expect(await end(child, signal)).toBe(0);
      expect(performance.now() - started).toBeLessThan(2_500);
      await hanging;
    },
  );

  test('the process exits when its parent is gone', async () => {
    const { child } = await start();
    const exited = once(child, 'exit');
    child.disconnect();
    expect((await exited)[0]).toBe(0);
  });
});

test('the log names requests and never a secret', async () => {
  const env = { SANDBOX_WEBHOOK_URL: 'http://127.0.0.1:1/hooks', SANDBOX_WEBHOOK_SECRET: 'whsec_hush' };
  const child = launch({ ...env, LOG_LEVEL: 'trace' });
  let log = '';
  child.stdout?.on('data', (chunk) => {
    log += chunk;
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const payment_method = 'pm_card_threeDSecure2Required';
  const intent = await stripeAt(url).paymentIntents.create({ ...CARD_ONLY, ...params, payment_method });
  await fetch(intent.next_action?.redirect_to_url?.url as string);
  await failure(stripeAt(url, { apiKey: 'sk_test_mistyped0000000' }).paymentIntents.list());
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  await closed;
  const lines = log.trim().split('\n');
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  expect(log).toContain(intent.lastResponse.requestId);
  for (const secret of [
    SECRET_KEY,
    'whsec_hush',
    intent.client_secret as string,
    'sk_test_mistyped0000000',
  ]) {
    expect(log).not.toContain(secret);
  }
});

describe('kill -9', () => {
  test('loses nothing that was acknowledged, and a retried key still replays', async () => {
    const first = await start();
    const key = { idempotencyKey: 'kept-across-the-crash' };
    const paid = await stripeAt(first.url).paymentIntents.create(params, key);
    await end(first.child, 'SIGKILL');

    const second = await start();
    const replayed = await stripeAt(second.url).paymentIntents.create(params, key);
    expect(replayed).toEqual(paid);
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    const { data } = await control<{ data: object[] }>(second.url, '/charges');
    expect(data).toHaveLength(1);
  });

  test('under load leaves every intent with a stored response and at most one charge', async () => {
    const first = await start();
    const stripe = stripeAt(first.url);
    const keys = Array.from({ length: 40 }, (_, index) => `load-${index}`);
    const calls = keys.map((idempotencyKey) =>
      stripe.paymentIntents.create(
        { ...CARD_ONLY, ...params, metadata: { operation: idempotencyKey } },
        { idempotencyKey },
      ),
    );
    // At the first response the others are under way: some are finished, some half-way, some have not begun.
    await Promise.any(calls);
    await end(first.child, 'SIGKILL');
    const acknowledged = (await Promise.allSettled(calls)).flatMap((call) =>
      call.status === 'fulfilled' ? [call.value] : [],
    );
    expect(acknowledged.length).toBeGreaterThan(0);
    const second = await start();
    for (const intent of acknowledged) {
      expect(await stripeAt(second.url).paymentIntents.retrieve(intent.id)).toEqual(intent);
    }
    await Promise.all(
      keys.map((idempotencyKey) =>
        stripeAt(second.url).paymentIntents.create(
          { ...CARD_ONLY, ...params, metadata: { operation: idempotencyKey } },
          { idempotencyKey },
        ),
      ),
    );
    const { data } = await control<{ data: Array<{ metadata: { operation: string } }> }>(
      second.url,
      '/charges',
    );
    expect(data.map(({ metadata }) => metadata.operation).sort()).toEqual([...keys].sort());
  });

  test('leaves pending webhooks and processing payments to the next process, which finishes them', async () => {
    const receiver = await openReceiver();
    receiver.respondWith(500);
    const env = { SANDBOX_WEBHOOK_URL: receiver.url, SANDBOX_WEBHOOK_SECRET: receiver.secret };
    const first = await start(env);
    const paid = await stripeAt(first.url).paymentIntents.create({
      ...CARD_ONLY,
      ...params,
      payment_method: 'pm_fault_processing',
    });
    await receiver.receive(isAbout(paid.id, 'payment_intent.processing'));
    await end(first.child, 'SIGKILL');

    receiver.respondWith(200);
    const second = await start(env);
    await control(second.url, '/clock', { seconds: 60 });
    await receiver.receive(isAbout(paid.id, 'payment_intent.succeeded'));
    expect((await stripeAt(second.url).paymentIntents.retrieve(paid.id)).status).toBe('succeeded');
    await receiver.close();
  });
});

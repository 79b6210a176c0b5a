import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { usedEventTypes } from '#payments/stripe/event-types.ts';
import { type CountingProxy, openCountingProxy } from '#run/testing/counting-proxy.ts';
import { type AppProcess, call, openSystem, type System } from './testing/app-process.ts';

/**
 * What a payment costs, counted between our processes and PostgreSQL. Statements and not milliseconds, so that a
 * busy machine changes nothing.
 */
let system: System;
let apiProxy: CountingProxy;
let workerProxy: CountingProxy;
let api: AppProcess;
const first = { key: randomUUID(), body: paymentBody() };

beforeAll(async () => {
  system = await openSystem({ webhookEvents: usedEventTypes });
  [apiProxy, workerProxy] = await Promise.all([
    openCountingProxy(system.database.url),
    openCountingProxy(system.database.url),
  ]);
  [api] = await Promise.all([
    system.startApi({ DATABASE_URL: apiProxy.url }),
    system.startWorker({ DATABASE_URL: workerProxy.url }),
  ]);
  // The first payment opens connections and fills what is cached.
  await pay(first.key, first.body);
}, 60_000);
afterAll(async () => {
  await system.close();
  await Promise.all([apiProxy.close(), workerProxy.close()]);
});

/** What one payment is still writing must not be counted for the next. */
beforeEach(async () => {
  await untilSilent();
  await startCounting();
});

/** A replay of the first payment fills what is cached for a few seconds: the API key, and the tenant's settings. */
async function startCounting(): Promise<void> {
  await pay(first.key, first.body);
  apiProxy.reset();
  workerProxy.reset();
}

function pay(key: string, body: object) {
  return call(`${api.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
}

function paymentBody(over: object = {}) {
  const reference = `invoice-${randomUUID()}`;
  return { amountMinor: 1200, currency: 'usd', paymentMethod: 'pm_card_visa', reference, ...over };
}

/** Loops of the worker, which come by the clock and not with a payment. */
const byTheClock =
  /next_check_at <= statement_timestamp|lease_until <= statement_timestamp|worker_heartbeat|provider_event_list|from "graphile_worker"\._private_jobs as jobs where jobs\.is_available|AS work$/;
const control = /^(BEGIN|COMMIT|ROLLBACK)/i;
/** Without transactions in which there is nothing but one of those loops. */
const ofPayments = (proxy: CountingProxy) =>
  proxy
    .transactions()
    .filter((texts) => !texts.every((text) => control.test(text) || byTheClock.test(text)))
    .flat();
/**
 * By the request itself: all that follows the response, or wakes other processes, is not waited for, and the settings of a
 * session are those of a connection, which the pool opens when the others are busy.
 */
const waitedFor = (proxy: CountingProxy) =>
  proxy
    .statements()
    .filter(
      (text) =>
        !/^SELECT 1$|^SET TimeZone|pg_notify|provider_event|provider_call|metric_|activity_|api_key/.test(
          text,
        ),
    );

/** Nothing is left to do for the payments so far: counts, calls, webhooks, jobs and events are written. */
async function untilSilent(): Promise<void> {
  const { db } = system;
  await vi.waitUntil(
    async () =>
      (await db.outboxEvent.count({ where: { relayedAt: null } })) === 0 &&
      (await db.providerEvent.count({ where: { status: 'received' } })) === 0 &&
      (await db.providerEvent.count()) >= (await db.payment.count({ where: { status: 'succeeded' } })),
    { timeout: 20_000, interval: 100 },
  );
  for (let before = -1; apiProxy.statements().length !== before; ) {
    // Longer than counts and calls wait before they are written.
    before = apiProxy.statements().length;
    await delay(1_500);
  }
}

test('a payment waits for three commits, one round trip each', async () => {
  expect((await pay(randomUUID(), paymentBody())).status).toBe(201);
  const statements = waitedFor(apiProxy);
  expect(
    statements.map((text) => /INSERT INTO idempotency_record|UPDATE idempotency_record/.exec(text)?.[0]),
  ).toEqual(['INSERT INTO idempotency_record', 'UPDATE idempotency_record', 'UPDATE idempotency_record']);
  expect(statements.filter((text) => /^(BEGIN|COMMIT)/.test(text))).toEqual([]);
});

test('a replay costs one round trip', async () => {
  expect((await pay(first.key, first.body)).status).toBe(201);
  expect(waitedFor(apiProxy)).toEqual([expect.stringContaining('INSERT INTO idempotency_record')]);
});

test('a duplicate of a running request costs one round trip', async () => {
  const [key, body] = [randomUUID(), paymentBody({ paymentMethod: 'pm_fault_slow' })];
  const running = pay(key, body);
  await system.untilRecord(key, 'in_progress');
  await startCounting();
  expect((await pay(key, body)).status).toBe(409);
  // Besides the commits of the one that is running.
  const statements = waitedFor(apiProxy).filter((text) => !text.includes('UPDATE idempotency_record'));
  expect(statements).toEqual([expect.stringContaining('INSERT INTO idempotency_record')]);
  await running;
});

test('the whole life of a payment, webhook and outbox included, costs at most 18 statements', async () => {
  // The webhook comes after the response, as a rule. On a busy machine it may come first, and is then processed by a job.
  await system.sandbox.control('webhooks', { on: false });
  await pay(randomUUID(), paymentBody());
  await system.sandbox.control('webhooks', { on: true });
  await untilSilent();
  const all = [...ofPayments(apiProxy), ...ofPayments(workerProxy)];
  expect(all.length, all.map((text) => text.slice(0, 110)).join('\n')).toBeLessThanOrEqual(18);
  expect(all.length).toBeGreaterThan(8);
});

test('idle processes make at most three statements a second', async () => {
  const seconds = 15;
  await delay(seconds * 1_000);
  // The payments of the tests before may still be counted.
  const all = [...apiProxy.statements(), ...workerProxy.statements()].filter(
    (text) => !/INSERT INTO (metric_counter|activity_bucket)/.test(text),
  );
  expect(all.length / seconds, all.map((text) => text.slice(0, 110)).join('\n')).toBeLessThanOrEqual(3);
});

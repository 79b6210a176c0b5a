import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { jobConcurrency, startJobRunner } from '#jobs/job-runner.ts';
import { addEndpoint, queueTest } from '#payments/outbox/console.ts';
import { createOutbox } from '#payments/outbox/index.ts';
import { openWebhookReceiver } from '#payments/outbox/testing/webhook-receiver.ts';
import { withClient } from '#run/testing/database.ts';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { openJobPool } from './database.ts';
import { respond } from './http-api/routes.ts';
import { type ConsoleHarness, openConsoleHarness } from './testing/console-harness.ts';
import { transactionLimits } from './turns.ts';
import { isUnavailable } from './unavailable.ts';

// A row that another session holds, such as a psql that was left open, delays what needs that row and nothing else.
let sandbox: TestSandbox;
let harness: ConsoleHarness;
/** A busy machine takes its time, but less than the nine seconds of a statement that waits for its whole limit. */
const soonMs = 5_000;
const tokens = new Map<string, string>();
let held: string;
let other: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  harness = await openConsoleHarness({ SANDBOX_URL: sandbox.url, SANDBOX_SECRET_KEY: sandbox.secretKey });
});
beforeEach(async () => {
  [held, other] = [await openShop(), await openShop()];
});
afterAll(async () => {
  await harness.close();
  await sandbox.stop();
});

async function openShop(): Promise<string> {
  const tenantId = await harness.openShop(`shop-${randomUUID()}`);
  const owner = await harness.createMember(tenantId, 'owner');
  const { token } = await owner.call.apiKeys.create({ name: 'server', scopes: ['pay', 'refund'] });
  tokens.set(tenantId, token);
  return tenantId;
}

async function post(tenantId: string, path: string, body: object, key: string = randomUUID()) {
  const headers = {
    authorization: `Bearer ${tokens.get(tenantId)}`,
    'idempotency-key': key,
    'content-type': 'application/json',
  };
  const url = `http://shop.example/api/v1/${path}`;
  const request = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const response = await respond(harness.services, request);
  const json = (await response.json()) as Record<string, unknown>;
  return { status: response.status, retryAfter: response.headers.get('retry-after'), json };
}

async function pay(tenantId: string): Promise<string> {
  const command = { amountMinor: 5_000, currency: 'eur', paymentMethod: 'pm_card_visa' };
  const { status, json } = await post(tenantId, 'payments', { ...command, reference: randomUUID() });
  expect(status).toBe(201);
  return String(json.paymentId);
}

const refundOf = (paymentId: string) => ({ paymentId, reference: randomUUID(), amountMinor: 100 });

/** While another session has the row, as `psql` has after an UPDATE without a COMMIT. */
async function whileHeld<T>(table: string, id: string, act: () => Promise<T>): Promise<T> {
  return withClient(harness.services.settings.DATABASE_URL ?? '', async (client) => {
    await client.query('BEGIN');
    await client.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
    return act();
  });
}

test('a payment that is held delays its own refunds, which get 503, and no refund of another', async () => {
  const [heldPayment, otherPayment] = [await pay(held), await pay(other)];
  const refunds = Array.from({ length: 12 }, () => ({ key: randomUUID(), body: refundOf(heldPayment) }));
  const refused = await whileHeld('payment', heldPayment, async () => {
    const began = performance.now();
    const waiting = refunds.map(({ key, body }) => post(held, 'refunds', body, key));
    await expect.poll(countWaiting, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(await countWaiting()).toBeLessThanOrEqual(transactionLimits.atOnceOfOne ?? 0);
    const made = await post(other, 'refunds', refundOf(otherPayment));
    expect(made).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(performance.now() - began).toBeLessThan(soonMs);
    return Promise.all(waiting);
  });
  for (const one of refused) {
    expect(one).toMatchObject({
      status: 503,
      retryAfter: '2',
      json: { code: 'idempotency_store_unavailable' },
    });
  }
  // Nothing was executed, so the same keys refund once the row is free.
  const [{ key, body } = expect.unreachable()] = refunds;
  expect(await post(held, 'refunds', body, key)).toMatchObject({ status: 201 });
});

test.each([
  ['Prisma', () => harness.db.organization.update({ where: { id: held }, data: { name: 'Acme' } })],
  ['SQL', () => harness.db.$executeRaw`UPDATE organization SET name = 'Acme' WHERE id = ${held}`],
])('a write by %s that waited in vain for a row may be sent again', async (_, write) => {
  const error = await whileHeld('organization', held, () => write().catch((thrown: unknown) => thrown));
  expect(isUnavailable(error)).toBe(true);
});

test('an endpoint that is held delays its own webhooks and no webhook of another shop', async () => {
  const { db, log, settings } = harness.services;
  const receiver = await openWebhookReceiver();
  const [slow, quick] = [
    await openEndpoint(held, 'http://127.0.0.1:9/'),
    await openEndpoint(other, receiver.url),
  ];
  // Each of its deliveries takes a turn, which is a write.
  await db.merchantWebhookEndpoint.updateMany({ where: { id: slow.id }, data: { failingSince: new Date() } });
  const [heldPayment, otherPayment] = [await pay(held), await pay(other)];
  while ((await outbox().relay()) > 0);
  await queueEvents(held, heldPayment, 30);
  while ((await outbox().relay()) > 0);
  const arrived = receiver.received.length;
  const jobPool = openJobPool(settings.DATABASE_URL ?? '', jobConcurrency);
  await whileHeld('merchant_webhook_endpoint', slow.id, async () => {
    const jobs = startJobRunner({ db, jobPool, log }, outbox().tasks);
    await expect.poll(countWaiting, { timeout: 20_000 }).toBeGreaterThan(2);
    const began = performance.now();
    await db.$transaction((tx) => queueTest(tx, quick));
    await receiver.receive(arrived + 1);
    expect(performance.now() - began).toBeLessThan(soonMs);
    // New events of both refer to their endpoints, in one batch: the held row must be free for the one, not for the other.
    await queueEvents(held, heldPayment, 30);
    await queueEvents(other, otherPayment, 1);
    const relayed = performance.now();
    await Promise.all([outbox().relay(), receiver.receive(arrived + 2)]);
    expect(performance.now() - relayed).toBeLessThan(soonMs);
    await jobs.stop();
  });
  await Promise.all([jobPool.end(), receiver.close()]);
});

async function openEndpoint(tenantId: string, url: string) {
  const { db, cipher } = harness.services;
  const choice = { url, description: '', eventTypes: [] };
  const added = await db.$transaction((tx) =>
    addEndpoint(tx, tenantId, choice, { rule: 'public_or_loopback', cipher }),
  );
  if (added.kind !== 'added') return expect.unreachable(added.kind);
  return { tenantId, id: added.id };
}

async function queueEvents(tenantId: string, paymentId: string, count: number): Promise<void> {
  const events = Array.from({ length: count }, () => randomUUID());
  await harness.db.outboxEvent.createMany({
    data: events.map((id) => ({ tenantId, id, paymentId, sourceId: id, type: 'payment.succeeded' })),
  });
}

function outbox() {
  const { db, cipher } = harness.services;
  return createOutbox(db, {
    consumers: {},
    describePurchase: async () => undefined,
    mail: {},
    webhookAddresses: 'public_or_loopback',
    cipher,
  });
}

async function countWaiting(): Promise<number> {
  const [row] = await harness.db.$queryRaw<{ count: number }[]>`
    SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return row?.count ?? 0;
}

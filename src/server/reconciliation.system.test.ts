import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationRef } from '#idempotency/index.ts';
import { type AppProcess, call, openSystem, type System } from './testing/app-process.ts';
import { type PaymentRows, paymentBody, paymentRows } from './testing/payment-rows.ts';

/** Rows 10 to 13 and 17 to 19 of the failure matrix, with the real worker. */
let system: System;
let app: AppProcess;
let worker: AppProcess;
let apiKey: string;
let rows: PaymentRows;

beforeAll(async () => {
  system = await openSystem();
  [app, worker] = await Promise.all([system.startApp(), system.startWorker()]);
  apiKey = system.tenants[0].apiKeys[0];
  rows = paymentRows(system);
}, 60_000);
afterAll(() => system.close());

const pay = (key: string, body: unknown) => call(`${app.url}/api/v1/payments`, apiKey, { key, body });

// At the same time: each waits for the worker most of the time.
describe.concurrent('by polling alone, without webhooks', () => {
  beforeAll(() => system.sandbox.control('webhooks', { on: false }));
  afterAll(() => system.sandbox.control('webhooks', { on: true }));

  test.each([
    ['row 10: time-out after charging', 'pm_fault_charged_no_response'],
    ['row 12: connection reset mid-response', 'pm_fault_charged_reset'],
    ['row 12: truncated response', 'pm_fault_truncated_response'],
    ['row 13: provider 500 after charging', 'pm_fault_charged_500'],
  ])('%s: unknown, then completed by the poller, with one charge', async (_, paymentMethod) => {
    const body = paymentBody(paymentMethod);
    const key = randomUUID();
    expect((await pay(key, body)).status).toBe(202);
    await system.untilRecord(key, 'completed');
    const response = await pay(key, body);
    expect([response.status, response.json.status, response.headers.get('idempotent-replayed')]).toEqual([
      201,
      'succeeded',
      'true',
    ]);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
  });

  test.each([
    ['row 11: time-out before charging', 'pm_fault_not_charged_no_response'],
    ['row 13: provider 500 without a charge', 'pm_fault_not_charged_500'],
  ])('%s: canceled, then released, and nothing was charged', async (_, paymentMethod) => {
    const body = paymentBody(paymentMethod);
    const key = randomUUID();
    expect((await pay(key, body)).status).toBe(202);
    await system.untilRecord(key, 'failed_retryable');
    expect(await system.sandbox.charges(body.reference)).toEqual([]);
    expect(await rows.books(body.reference)).toEqual([{ status: 'released', entries: 0, events: 0 }]);
  });
});

test('row 13: provider 5xx at the create: nothing can have been charged, the key is free, and the retry pays once', async () => {
  const [key, body] = [randomUUID(), paymentBody('pm_card_visa')];
  await system.sandbox.control('outage', { on: true, mode: '503' });
  expect(await pay(key, body)).toMatchObject({ status: 503, json: { code: 'provider_unavailable' } });
  await system.sandbox.control('outage', { on: false });
  await system.untilRecord(key, 'failed_retryable');
  expect(await system.sandbox.charges(body.reference)).toEqual([]);
  expect(await pay(key, body)).toMatchObject({ status: 201, json: { status: 'succeeded' } });
  expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
});

test('row 13: provider 5xx at a refund: unknown, then found or sent again by the poller, refunded once', async () => {
  const body = paymentBody('pm_card_visa');
  const { json } = await pay(randomUUID(), body);
  const key = randomUUID();
  const refund = { paymentId: json.paymentId, reference: 'return-1', amountMinor: 500 };
  await system.sandbox.control('outage', { on: true, mode: '503' });
  const sent = await call(`${app.url}/api/v1/refunds`, apiKey, { key, body: refund });
  expect(sent).toMatchObject({ status: 202, json: { code: 'operation_unknown' } });
  await system.sandbox.control('outage', { on: false });
  const { id } = await system.untilRecord(key, 'completed');
  expect(await system.sandbox.refundsOf(id)).toMatchObject([{ status: 'succeeded', amount: 500 }]);
  expect(await system.sandbox.charges(body.reference)).toMatchObject([{ amount_refunded: 500 }]);
});

test('row 17: two workers reconcile one operation at once, by webhook and by schedule: one verdict, one of everything', async () => {
  const other = await system.startWorker();
  await system.sandbox.control('webhooks', { on: false });
  const requests = Array.from({ length: 5 }, () => ({
    key: randomUUID(),
    body: paymentBody('pm_fault_charged_reset'),
  }));
  await Promise.all(requests.map(({ key, body }) => pay(key, body)));
  // Each check takes a while, and each operation gets three: from two webhooks and from the poller.
  await system.sandbox.control('latency', { ms: 600 });
  await system.sandbox.control('webhooks', { on: true });
  const records = await Promise.all(requests.map(({ key }) => system.untilRecord(key, 'completed')));
  for (const record of records) await system.untilProviderEvent(record, 'charge.succeeded');
  for (const record of records) await system.untilProviderEvent(record, 'payment_intent.succeeded');
  await system.sandbox.control('latency', { ms: 0 });

  for (const [index, record] of records.entries()) {
    const { reference } = requests[index]?.body ?? paymentBody('');
    const ends = (await rows.transitionsOf(record)).filter(({ toStatus }) => toStatus === 'completed');
    expect(ends).toMatchObject([{ actor: expect.stringMatching(/^(webhook:evt_|poller$)/) }]);
    expect(await system.sandbox.charges(reference)).toHaveLength(1);
    expect(await rows.books(reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
  }
  // Without two checks at the same time the test would prove nothing.
  await expect
    .poll(async () => (await Promise.all(records.map(hasOverlappingChecks))).some(Boolean))
    .toBe(true);
  await other.kill('SIGTERM');
});

async function hasOverlappingChecks(operation: OperationRef): Promise<boolean> {
  const checks = await rows.callsOf(operation, 'retrieve');
  return checks.some(({ startedAt, durationMs }, index) => {
    const next = checks[index + 1];
    return next !== undefined && next.startedAt.getTime() < startedAt.getTime() + durationMs;
  });
}

describe('row 18: webhooks', () => {
  test('a webhook that beats the response wins: the waiting request responds with its result, long before its deadline', async () => {
    const body = paymentBody('pm_fault_charged_no_response');
    const key = randomUUID();
    const deadlineMs = 30_000;
    const patient = await system.startApi({ PROVIDER_TIMEOUT_MS: String(deadlineMs), LEASE_MS: '61000' });
    const sentMs = performance.now();
    const response = await call(`${patient.url}/api/v1/payments`, apiKey, { key, body });
    expect((performance.now() - sentMs) / deadlineMs).toBeLessThan(0.5);
    expect(response).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    const record = await system.untilRecord(key, 'completed');
    const ends = (await rows.transitionsOf(record)).filter(({ toStatus }) => toStatus !== 'in_progress');
    expect(ends).toMatchObject([
      { fromStatus: 'in_progress', toStatus: 'completed', actor: expect.stringMatching(/^webhook:evt_/) },
    ]);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
    await patient.kill('SIGTERM');
  });

  test.each(['pm_fault_webhook_first', 'pm_fault_webhook_twice', 'pm_fault_webhook_out_of_order'])(
    '%s: harmless, one completion and one event',
    async (paymentMethod) => {
      const body = paymentBody(paymentMethod);
      const key = randomUUID();
      expect((await pay(key, body)).status).toBe(201);
      const record = await system.untilRecord(key, 'completed');
      await system.untilProviderEvent(record, 'payment_intent.succeeded');
      expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
    },
  );

  test('one event that is delivered five times at once is stored once and makes us ask the provider once', async () => {
    const [key, body] = [randomUUID(), paymentBody('pm_fault_processing')];
    await system.sandbox.control('webhooks', { on: false });
    await pay(key, body);
    const record = await system.untilRecord(key, 'unknown');
    // No check is due, so only the event makes us ask.
    await system.db.$executeRaw`
      UPDATE idempotency_record SET next_check_at = clock_timestamp() + interval '1 hour'
      WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    const before = (await rows.callsOf(record, 'retrieve')).length;
    const metadata = { operation: record.id, paidonce_tenant: record.tenantId };
    const payment = await system.db.payment.findFirstOrThrow({ where: { operationId: record.id } });
    const object = { object: 'payment_intent', id: payment.providerIntentId, metadata };
    const event = {
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'payment_intent.succeeded',
      data: { object },
    };
    const text = JSON.stringify(event);
    const deliver = () =>
      fetch(`${app.url}/api/webhooks/stripe`, {
        method: 'POST',
        headers: { 'stripe-signature': sign(text, Math.floor(Date.now() / 1000)) },
        body: text,
      });
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await deliver()).status));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
    await expect
      .poll(() => system.db.providerEvent.findMany({ where: { eventId: event.id } }))
      .toMatchObject([{ status: 'processed' }]);
    expect((await deliver()).status).toBe(200);
    // When no job is left, nothing more will ask.
    const jobs = () => system.db.$queryRaw<unknown[]>`
      SELECT FROM graphile_worker.jobs WHERE task_identifier = 'provider_event'`;
    await expect.poll(jobs).toEqual([]);
    await expect.poll(async () => (await rows.callsOf(record, 'retrieve')).length).toBeGreaterThan(before);
    expect(await rows.callsOf(record, 'retrieve')).toHaveLength(before + 1);
    expect(await system.db.providerEvent.count({ where: { eventId: event.id } })).toBe(1);
    await system.sandbox.control('webhooks', { on: true });
    await system.untilRecord(key, 'completed');
  });

  test('a provider that does not respond, then its webhook: completed by the webhook', async () => {
    const body = paymentBody('pm_fault_charged_no_response');
    const key = randomUUID();
    await pay(key, body);
    const record = await system.untilRecord(key, 'completed');
    expect((await rows.transitionsOf(record)).at(-1)?.actor).toMatch(/^webhook:evt_/);
  });

  test.each([
    ['forged', () => `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`],
    ['missing', () => ''],
    ['too old', (body: string) => sign(body, Math.floor(Date.now() / 1000) - 3600)],
  ])('a %s signature is refused and stores nothing', async (_, signature) => {
    const body = JSON.stringify({
      id: `evt_${randomUUID()}`,
      object: 'event',
      type: 'x',
      data: { object: {} },
    });
    const before = await system.db.providerEvent.count();
    const response = await fetch(`${app.url}/api/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature(body) },
      body,
    });
    expect(response.status).toBe(400);
    expect(await system.db.providerEvent.count()).toBe(before);
  });

  test('an event about no operation of ours is stored as ignored', async () => {
    const id = `evt_${randomUUID()}`;
    const body = JSON.stringify({
      id,
      object: 'event',
      type: 'customer.created',
      data: { object: { id: 'cus_1' } },
    });
    const send = () =>
      fetch(`${app.url}/api/webhooks/stripe`, {
        method: 'POST',
        headers: { 'stripe-signature': sign(body, Math.floor(Date.now() / 1000)) },
        body,
      });
    expect([(await send()).status, (await send()).status]).toEqual([200, 200]);
    await expect
      .poll(() => system.db.providerEvent.findMany({ where: { eventId: id } }))
      .toMatchObject([{ status: 'ignored', outcome: 'about nothing of ours' }]);
  });
});

describe('row 19: the schedule is exhausted', () => {
  test('the operation goes to the operators’ queue, stays unknown, and a late webhook still completes it, also one that came while the provider was down', async () => {
    const body = paymentBody('pm_card_visa');
    const key = randomUUID();
    // Charged, and neither the response nor a webhook comes.
    await system.sandbox.control('silence', { reference: body.reference, seconds: 600 });
    expect((await pay(key, body)).status).toBe(202);
    const record = await system.untilRecord(key, 'unknown');
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    await system.db.$executeRaw`
      UPDATE idempotency_record SET check_count = 14, next_check_at = clock_timestamp()
      WHERE tenant_id = ${record.tenantId} AND id = ${record.id}::uuid`;
    await expect
      .poll(() => rows.findRecord(record), { timeout: 20_000 })
      .toMatchObject({ status: 'unknown', escalatedAt: expect.any(Date), nextCheckAt: null });
    expect((await pay(key, body)).status).toBe(202);

    await system.sandbox.control('outage', { on: true, mode: '503' });
    await system.sandbox.control('silence', { reference: body.reference, seconds: 0 });
    const kept = () => worker.output().includes('webhook kept for later');
    await expect.poll(kept, { timeout: 20_000 }).toBe(true);
    expect(await rows.findRecord(record)).toMatchObject({ status: 'unknown' });
    await system.sandbox.control('outage', { on: false });
    await system.untilRecord(key, 'completed');
    expect((await rows.transitionsOf(record)).at(-1)).toMatchObject({
      fromStatus: 'unknown',
      actor: expect.stringMatching(/^webhook:evt_/),
    });
    expect(await pay(key, body)).toMatchObject({ status: 201, json: { status: 'succeeded' } });
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    expect(await rows.books(body.reference)).toEqual([{ status: 'succeeded', entries: 2, events: 1 }]);
  });
});

test('killing the worker mid-work loses nothing: another worker finishes', async () => {
  await system.sandbox.control('webhooks', { on: false });
  const requests = Array.from({ length: 10 }, () => ({
    key: randomUUID(),
    body: paymentBody('pm_fault_charged_reset'),
  }));
  await Promise.all(requests.map(({ key, body }) => pay(key, body)));
  await worker.kill('SIGKILL');
  worker = await system.startWorker();
  await Promise.all(requests.map(({ key }) => system.untilRecord(key, 'completed')));
  for (const { body } of requests) expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  await system.sandbox.control('webhooks', { on: true });
});

function sign(body: string, at: number): string {
  const mac = createHmac('sha256', system.sandbox.webhookSecret).update(`${at}.${body}`).digest('hex');
  return `t=${at},v1=${mac}`;
}

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OperationRef } from '#idempotency/index.ts';
import { paymentProblems } from '#payments/index.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** The log and metrics of payments: a success, a decline, and an unknown one that the poller completed. */
let system: System;
let app: AppProcess;
let worker: AppProcess;
/** The receiver of alerts, another program. */
const alerts: unknown[] = [];
const receiver = createServer(async (request, response) => {
  alerts.push(await json(request));
  response.end();
});
const email = 'shopper-of-the-log-test@mail.example';
const payments: (OperationRef & { key: string; reference: string; paymentMethod: string })[] = [];

beforeAll(async () => {
  system = await openSystem();
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const { port } = receiver.address() as AddressInfo;
  const env = { LOG_LEVEL: 'debug', ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/` };
  [app, worker] = await Promise.all([system.startApp(env), system.startWorker(env)]);
  for (const [paymentMethod, webhooks] of [
    ['pm_card_visa', true],
    ['pm_card_visa_chargeDeclined', true],
    ['pm_fault_charged_reset', false],
    ['pm_fault_charged_no_response', true],
  ] as const) {
    await system.sandbox.control('webhooks', { on: webhooks });
    const key = randomUUID();
    const reference = `invoice-${randomUUID()}`;
    const body = { amountMinor: 424_217, currency: 'usd', paymentMethod, reference, receiptEmail: email };
    await call(`${app.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
    const record = await system.untilRecord(key, 'completed');
    await call(`${app.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
    payments.push({ key, reference, paymentMethod, ...record });
  }
  await system.sandbox.control('webhooks', { on: true });
  for (const payment of payments) await system.untilProviderEvent(payment, 'payment_intent.created');
}, 60_000);
afterAll(async () => {
  receiver.close();
  await system.close();
});

describe('the log', () => {
  const lines = () => `${app.output()}\n${worker.output()}`.split('\n');

  test('names operation and tenant on every line that is not about the process itself', () => {
    // Only payments have happened so far, so a line that is not about starting up is about one of them.
    const startUp = /^(worker ready|Worker connected and looking for jobs|Failed to read crontab)/;
    const logged = lines()
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => !startUp.test(msg));
    const ids = payments.map(({ id }) => id);
    for (const line of logged) {
      expect(line).toMatchObject({ operationId: expect.toBeOneOf(ids), tenantId: system.tenants[0].id });
    }
    for (const id of ids) {
      expect(logged.filter(({ operationId }) => operationId === id).length).toBeGreaterThanOrEqual(3);
    }
  });

  test('says how each payment started and ended', () => {
    const logged = lines().filter((line) => line.startsWith('{'));
    const kinds = payments.map(({ id }) =>
      logged.filter((line) => line.includes(id)).map((line) => String(JSON.parse(line).msg)),
    );
    expect(kinds[0]).toEqual(
      expect.arrayContaining(['reserve', 'attempt_ended', 'webhook', 'event consumed']),
    );
    expect(kinds[2]).toEqual(expect.arrayContaining(['reserve', 'attempt_ended', 'resolved']));
  });

  test('never holds a key, a card, a reference, an e-mail address, an amount or a credential', () => {
    const all = lines().join('\n');
    expect(all.length).toBeGreaterThan(1_000);
    for (const { key, reference, paymentMethod } of payments) {
      for (const secret of [key, reference, paymentMethod]) expect(all).not.toContain(secret);
    }
    for (const secret of [email, '424217', ...system.tenants[0].apiKeys, system.sandbox.secretKey]) {
      expect(all).not.toContain(secret);
    }
  });
});

describe('GET /api/metrics', () => {
  const scrape = (headers: Record<string, string> = {}) => fetch(`${app.url}/api/metrics`, { headers });

  test('shows any program on this machine what all processes counted', async () => {
    await expect
      .poll(async () => (await scrape()).text(), { timeout: 10_000 })
      .toMatch(
        /^paidonce_reconcile_resolved_total\{operation="payment.create",source="poller",verdict="completed"\} [1-9]/m,
      );
    const text = await (await scrape()).text();
    expect(text).toContain('paidonce_reserve_total{operation="payment.create",outcome="created"} 4\n');
    expect(text).toContain('paidonce_reserve_total{operation="payment.create",outcome="replay"} 4\n');
    expect(text).toContain('paidonce_workers_alive 1\n');
    expect(text).toContain('paidonce_unknown_operations{operation="payment.create"} 0\n');
    expect(text).toContain('paidonce_charges_without_payment 0\n');
    expect(text).toContain('paidonce_payments_without_charge 0\n');
  });

  test.each([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' },
    { forwarded: 'for=203.0.113.9' },
    { 'x-forwarded-host': 'shop.example' },
  ])('is closed to forwarded requests: %o', async (headers) => {
    const response = await scrape(headers as Record<string, string>);
    expect([response.status, await response.text()]).toEqual([
      403,
      'The metrics are read from this machine only, unless METRICS_TOKEN is set.\n',
    ]);
  });

  test('with METRICS_TOKEN, is open to its bearer only', async () => {
    const token = randomUUID();
    const guarded = await system.startApi({ METRICS_TOKEN: token });
    const status = async (authorization: string) =>
      (await fetch(`${guarded.url}/api/metrics`, { headers: { authorization } })).status;
    expect([await status(''), await status(`Bearer ${token}x`), await status(`Bearer ${token}`)]).toEqual([
      401, 401, 200,
    ]);
    await guarded.kill('SIGTERM');
  });
});

const anInvoice = () => ({
  amountMinor: 1200,
  currency: 'usd',
  paymentMethod: 'pm_card_visa',
  reference: `invoice-${randomUUID()}`,
});

const metrics = async () => (await fetch(`${app.url}/api/metrics`)).text();

/** The one line of a process's log with this text, once it is there. A second one would be a duplicate. */
async function onlyLineWith(process: AppProcess, text: string): Promise<unknown> {
  const lines = () =>
    process
      .output()
      .split('\n')
      .filter((line) => line.includes(text));
  await expect.poll(() => lines().length).toBe(1);
  return JSON.parse(lines()[0] ?? '');
}

test('an exhausted schedule is reported by log, metric and outgoing webhook', async () => {
  await system.sandbox.control('webhooks', { on: false });
  const key = randomUUID();
  const body = { ...anInvoice(), paymentMethod: 'pm_fault_charged_500' };
  await call(`${app.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
  await system.sandbox.control('outage', { on: true, mode: '503' });
  const { tenantId, id } = await system.untilRecord(key, 'unknown');
  await system.db.$executeRaw`
    UPDATE idempotency_record SET check_count = 14, next_check_at = clock_timestamp()
    WHERE tenant_id = ${tenantId} AND id = ${id}::uuid`;
  await expect.poll(() => alerts, { timeout: 20_000 }).toHaveLength(1);
  expect(alerts[0]).toMatchObject({
    operationId: id,
    tenant: 'acme',
    amountMinor: 1200,
    reference: body.reference,
    checks: 15,
  });
  expect(await onlyLineWith(worker, '"exhausted"')).toMatchObject({
    level: 50,
    operationId: id,
    tenantId: system.tenants[0].id,
  });
  await expect
    .poll(metrics, { timeout: 10_000 })
    .toContain('paidonce_reconcile_exhausted_total{operation="payment.create"} 1\n');
  expect(await metrics()).toContain('paidonce_operators_queue_size 1\n');
  await system.sandbox.control('outage', { on: false });
});

test('a request that the provider rejects is reported by log and metric, and the provider’s message is not revealed to the caller', async () => {
  const rolled = 'sk_test_rolled_yesterday_and_quoted_by_the_provider';
  const misled = await system.startApi({ SANDBOX_SECRET_KEY: rolled });
  const key = randomUUID();
  const body = anInvoice();
  const refused = await call(`${misled.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
  expect(refused).toMatchObject({
    status: 502,
    json: { code: 'provider_rejected', detail: paymentProblems.provider_rejected.explanation },
  });
  const { id } = await system.untilRecord(key, 'failed_retryable');

  expect(await onlyLineWith(misled, '"provider rejected"')).toMatchObject({
    level: 50,
    operationId: id,
    tenantId: system.tenants[0].id,
    call: 'create',
    code: expect.stringMatching(/./),
    requestId: expect.stringMatching(/^req_/),
  });
  expect(misled.output()).not.toMatch(/sk_test_r/);
  await expect
    .poll(metrics, { timeout: 10_000 })
    .toContain('paidonce_provider_rejections_total{call="create"} 1\n');
  await misled.kill('SIGTERM');

  const paid = await call(`${app.url}/api/v1/payments`, system.tenants[0].apiKeys[0], { key, body });
  expect(paid).toMatchObject({ status: 201 });
});

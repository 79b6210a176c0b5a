import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CuttableProxy, openCuttableProxy } from '#run/testing/cuttable-proxy.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** Row 20 of the failure matrix: the database is unreachable, at the claim and at the finish. */
let system: System;
let proxy: CuttableProxy;
let app: AppProcess;
let apiKey: string;

beforeAll(async () => {
  system = await openSystem();
  proxy = await openCuttableProxy(system.database.url);
  // The worker keeps its own connection: it is another machine.
  [app] = await Promise.all([system.startApp({ DATABASE_URL: proxy.url }), system.startWorker()]);
  apiKey = system.tenants[0].apiKeys[0];
  await system.sandbox.control('webhooks', { on: false });
}, 60_000);
afterEach(() => proxy.mend());
afterAll(async () => {
  await system.close();
  await proxy.close();
});

const paymentBody = () => ({
  amountMinor: 1200,
  currency: 'usd',
  paymentMethod: 'pm_card_visa',
  reference: `invoice-${randomUUID()}`,
});

describe('row 20: database down', () => {
  test('at the claim: 503 with Retry-After, no provider call; the same key pays once when it is back', async () => {
    const body = paymentBody();
    const key = randomUUID();
    proxy.cut();
    const refused = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
    expect([refused.status, refused.json.code]).toEqual([503, 'idempotency_store_unavailable']);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(await system.sandbox.intents(body.reference)).toBe(0);

    proxy.mend();
    const paid = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
    expect([paid.status, paid.json.status]).toEqual([201, 'succeeded']);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  });

  test('at the claim, through tRPC: SERVICE_UNAVAILABLE, not an internal error', async () => {
    proxy.cut();
    const response = await fetch(`${app.url}/api/trpc/payments.pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
      body: JSON.stringify({ orderId: randomUUID(), paymentMethod: 'pm_card_visa', email: 'a@b.example' }),
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({
      error: { data: { problem: { code: 'idempotency_store_unavailable' } } },
    });
  });

  test('at the finish: no caller gets a failure, and reconciliation completes it without a retry', async () => {
    const body = { ...paymentBody(), paymentMethod: 'pm_fault_charged_no_response' };
    const key = randomUUID();
    const response = call(`${app.url}/api/v1/payments`, apiKey, { key, body });
    await system.untilCharged(body.reference);
    proxy.cut();
    expect(await response).toMatchObject({ status: 202, json: { code: 'operation_unknown' } });
    await system.untilRecord(key, 'completed');
    proxy.mend();
    const replay = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
    expect([replay.status, replay.json.status]).toEqual([201, 'succeeded']);
    expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
  });
});

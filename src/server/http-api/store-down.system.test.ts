import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CuttableProxy, openCuttableProxy } from '#run/testing/cuttable-proxy.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

/** Row 20 of the failure matrix: the database is unreachable at each commit of a payment, and between them. */
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
  test('before the claim: 503 with Retry-After, no provider call; the same key pays once when it is back', async () => {
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

  test.each(['statement', 'response'] as const)(
    'lost with the %s of the claim itself: 503, no provider call; the same key pays once when it is back',
    async (lost) => {
      const body = paymentBody();
      const key = randomUUID();
      const cut = proxy.cutAt('claim open payment', lost);
      const refused = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
      await cut;
      expect([refused.status, refused.json.code]).toEqual([503, 'idempotency_store_unavailable']);
      expect(await system.sandbox.intents(body.reference)).toBe(0);

      proxy.mend();
      // If only the response was lost, the record is claimed and its lease has to expire first.
      if (lost === 'response') await system.expireLease(await system.untilRecord(key, 'in_progress'));
      const paid = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
      expect([paid.status, paid.json.status]).toEqual([201, 'succeeded']);
      expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    },
  );

  test.each(['statement', 'response'] as const)(
    'lost with the %s of the finish itself: no caller gets a failure, and one charge is booked once',
    async (lost) => {
      const body = paymentBody();
      const key = randomUUID();
      const cut = proxy.cutAt('provider_succeeded', lost);
      const response = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
      await cut;
      expect(response).toMatchObject({ status: 202, json: { code: 'operation_unknown' } });
      proxy.mend();
      if (lost === 'statement') await system.expireLease(await system.untilRecord(key, 'in_progress'));
      await system.untilRecord(key, 'completed');
      const replay = await call(`${app.url}/api/v1/payments`, apiKey, { key, body });
      expect([replay.status, replay.json.status]).toEqual([201, 'succeeded']);
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
      const where = { payment: { reference: body.reference } };
      expect(await system.db.ledgerEntry.count({ where })).toBe(2);
      expect(await system.db.outboxEvent.count({ where })).toBe(1);
    },
  );

  /** As the shop's page pays: the order's number is the reference. */
  async function payOrder(orderId: string, key: string) {
    const response = await fetch(`${app.url}/api/trpc/payments.pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ orderId, paymentMethod: 'pm_card_visa', email: 'a@b.example' }),
    });
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      json: await response.json(),
    };
  }

  test.each(['before the claim', 'at the claim itself'])(
    '%s, through tRPC: SERVICE_UNAVAILABLE, not an internal error; the same key pays once when it is back',
    async (when) => {
      const key = randomUUID();
      const { id, number } = await system.db.order.create({
        data: {
          ...{ tenantId: system.tenants[0].id, number: `ORDER-${randomUUID()}` },
          ...{ amountMinor: 1200, currency: 'usd' },
        },
      });
      const cut = when === 'before the claim' ? proxy.cut() : proxy.cutAt('claim open payment', 'statement');
      const refused = await payOrder(id, key);
      await cut;
      const data = { code: 'SERVICE_UNAVAILABLE', problem: { code: 'idempotency_store_unavailable' } };
      expect(refused).toMatchObject({ status: 503, retryAfter: '2', json: { error: { data } } });
      expect(await system.sandbox.intents(number)).toBe(0);
      expect(await system.db.idempotencyRecord.count({ where: { key } })).toBe(0);

      proxy.mend();
      const paid = await payOrder(id, key);
      expect(paid).toMatchObject({ status: 200, json: { result: { data: { status: 'succeeded' } } } });
      expect(await system.sandbox.charges(number)).toHaveLength(1);
    },
  );

  test('while the provider is asked: no caller gets a failure, and reconciliation completes it without a retry', async () => {
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

import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { rawRequest } from './raw-request.ts';

/** A caller of the address where the provider's events arrive, without the secret that signs them and with it. */

let system: System;
let app: AppProcess;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApp();
});
afterAll(() => system.close());

const event = (over: object = {}) =>
  JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'payment_intent.succeeded',
    data: { object: { id: 'pi_forged', object: 'payment_intent', metadata: {} } },
    ...over,
  });
const now = () => Math.floor(Date.now() / 1_000);
const sign = (body: string, secret: string, at: number) =>
  createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
const deliver = (body: string, signature: string) =>
  rawRequest(app.url, '/api/webhooks/stripe', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body,
  }).catch(() => ({ status: 413 }));

test('a forged provider is refused without the secret, with an old or a future date, and with another scheme', async () => {
  const body = event();
  const secret = system.sandbox.webhookSecret;
  const [at, mac] = [now(), sign(body, secret, now())];
  for (const signature of [
    '',
    't=,v1=',
    `t=${at}`,
    `t=${at},v1=${sign(body, 'whsec_guess', at)}`,
    `t=${at},v0=${mac}`,
    `t=${at - 400},v1=${sign(body, secret, at - 400)}`,
    `t=${at + 400},v1=${sign(body, secret, at + 400)}`,
    `t=${at - 400},t=${at},v1=${sign(body, secret, at - 400)}`,
    `t=${at},v1=${mac.toUpperCase()}x`,
    `t=${at},${Array.from({ length: 100 }, () => `v1=${'0'.repeat(64)}`).join(',')}`,
  ]) {
    expect((await deliver(body, signature)).status, signature).toBe(400);
  }
  expect((await deliver(`${body} `, `t=${at},v1=${mac}`)).status).toBe(400);
  expect((await deliver('x'.repeat(600_000), `t=${at},v1=${mac}`)).status).toBe(413);
  expect(
    await system.db.providerEvent.count({
      where: { payload: { path: ['data', 'object', 'id'], equals: 'pi_forged' } },
    }),
  ).toBe(0);
});

test('one that has the secret and lies changes nothing: the provider is asked, and says what is true', async () => {
  const [{ apiKeys, id: tenantId }] = system.tenants;
  const reference = randomUUID();
  const body = { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference };
  const paid = await call(`${app.url}/api/v1/payments`, apiKeys[0], { key: randomUUID(), body });
  const operation = String(paid.json.operationId);
  const payment = await system.db.payment.findFirstOrThrow({ where: { tenantId, reference } });
  const metadata = { operation, paidonce_tenant: tenantId, reference, generation: '1' };
  const intent = { id: payment.providerIntentId, object: 'payment_intent', metadata };
  const refund = { id: 're_forged', object: 'refund', payment_intent: intent.id, metadata };
  const lies: { type: string; object: object; over?: object }[] = [
    { type: 'payment_intent.canceled', object: { ...intent, status: 'canceled' } },
    { type: 'payment_intent.payment_failed', object: { ...intent, status: 'requires_payment_method' } },
    { type: 'payment_intent.succeeded', object: { ...intent, status: 'succeeded', amount_received: 1 } },
    { type: 'payment_intent.succeeded', object: { ...intent, status: 'succeeded', currency: 'jpy' } },
    { type: 'payment_intent.succeeded', object: { ...intent, id: 'pi_other', status: 'succeeded' } },
    { type: 'refund.created', object: { ...refund, status: 'succeeded', amount: 100 } },
    { type: 'refund.failed', object: { ...refund, status: 'failed', amount: 100 } },
    { type: 'charge.refunded', object: { ...refund, object: 'charge', amount_refunded: 100 } },
    {
      type: 'payment_intent.canceled',
      object: { ...intent, status: 'canceled' },
      over: { livemode: true },
    },
    { type: 'refund.updated', object: refund, over: { api_version: '2015-01-01', account: 'acct_other' } },
    { type: 'constructor', object: { ...intent, __proto__: { status: 'canceled' } } },
  ];
  const state = async () => ({
    record: await system.db.idempotencyRecord.findFirst({ where: { tenantId, id: operation } }),
    payment: await system.db.payment.findFirst({ where: { tenantId, reference } }),
    entries: await system.db.ledgerEntry.findMany({ where: { paymentId: payment.id } }),
    refunds: await system.db.refund.count({ where: { paymentId: payment.id } }),
    exceptions: await system.db.reconciliationException.count({ where: { paymentId: payment.id } }),
  });
  const before = await state();
  const worker = await system.startWorker();
  // Each of them five times under the same id, which counts once.
  const sent = lies.map(({ type, object, over }) => event({ type, data: { object }, ...over }));
  const statuses = await Promise.all(
    Array.from({ length: 5 }, () => sent)
      .flat()
      .map((one) => deliver(one, `t=${now()},v1=${sign(one, system.sandbox.webhookSecret, now())}`)),
  );
  expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([200]));
  const ids = sent.map((one) => (JSON.parse(one) as { id: string }).id);
  const waiting = () => system.db.$queryRaw`
    SELECT payload #>> '{data,object,id}' AS object, last_error IS NOT NULL AS asked
    FROM provider_event LEFT JOIN graphile_worker.jobs ON jobs.key = 'provider_event:' || provider_event.id
    WHERE event_id = ANY (${ids}) AND status = 'received'`;
  // The provider has no such intent. Its list may lag behind its own event, so it is asked again later.
  await expect.poll(waiting).toEqual([{ object: 'pi_other', asked: true }]);
  expect(await system.db.providerEvent.count({ where: { eventId: { in: ids } } })).toBe(lies.length);
  expect(await state()).toEqual(before);
  await worker.kill('SIGTERM');
});

test('one that names another tenant’s operation changes nothing there', async () => {
  const [{ apiKeys, id: tenantId }, other] = system.tenants;
  const body = {
    amountMinor: 100,
    currency: 'eur',
    paymentMethod: 'pm_card_visa',
    reference: randomUUID(),
  };
  const paid = await call(`${app.url}/api/v1/payments`, apiKeys[0], { key: randomUUID(), body });
  const operation = String(paid.json.operationId);
  const read = () => system.db.idempotencyRecord.findFirstOrThrow({ where: { tenantId, id: operation } });
  const before = await read();
  for (const tenant of [other.id, '__proto__', 'x'.repeat(10_000)]) {
    const metadata = { operation, paidonce_tenant: tenant };
    const sent = event({
      data: { object: { id: 'pi_x', object: 'payment_intent', status: 'canceled', metadata } },
    });
    const at = now();
    const response = await deliver(sent, `t=${at},v1=${sign(sent, system.sandbox.webhookSecret, at)}`);
    expect(response.status, tenant.slice(0, 20)).toBe(200);
  }
  expect(await read()).toEqual(before);
});

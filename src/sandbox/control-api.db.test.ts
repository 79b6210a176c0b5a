import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from './index.ts';
import {
  CARD_ONLY,
  failure,
  type Harness,
  type LedgerCharge,
  openHarness,
  stripeAt,
} from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterEach(async () => {
  await harness.control('/outage', { on: false });
  await harness.control('/latency', { ms: 0 });
});
afterAll(() => harness.close());

const pay = (metadata: Record<string, string>) =>
  stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    confirm: true,
    metadata,
  });

describe('the ledger', () => {
  test('lists the charges of a reference, an operation, a tenant or an intent', async () => {
    const ours = await pay({ reference: 'order-1', operation: 'op-1', paidonce_tenant: 'a' });
    const theirs = await pay({ reference: 'order-1', operation: 'op-2', paidonce_tenant: 'b' });
    const intentsOf = async (query: string) => {
      const { data } = await harness.control<{ data: LedgerCharge[] }>(`/charges?${query}`);
      return data.map(({ intent }) => intent);
    };
    expect(await intentsOf('reference=order-1')).toEqual([ours.id, theirs.id]);
    expect(await intentsOf('reference=order-1&tenant=b')).toEqual([theirs.id]);
    expect(await intentsOf('operation=op-1')).toEqual([ours.id]);
    expect(await intentsOf(`intent=${theirs.id}`)).toEqual([theirs.id]);
    expect(await intentsOf('reference=order-2')).toEqual([]);
    await expect(intentsOf('refrence=order-1')).rejects.toThrow('400');
  });

  test('has the fields that tests compare', async () => {
    const paid = await pay({ operation: 'op-3' });
    const { data } = await harness.control<{ data: LedgerCharge[] }>('/charges?operation=op-3');
    expect(data).toEqual([
      expect.objectContaining({
        id: paid.latest_charge,
        status: 'succeeded',
        amount: 1000,
        currency: 'usd',
        intent: paid.id,
        created: expect.any(Number),
      }),
    ]);
  });
});

test('the count is of Paidonce’s charges that succeeded, refunded ones included', async () => {
  const count = async () => (await harness.control<{ succeeded: number }>('/charges/count')).succeeded;
  const before = await count();
  const paid = await pay({ paidonce_tenant: 'a' });
  await pay({ order: 'of another application' });
  await stripe.refunds.create({ payment_intent: paid.id });
  expect(await count()).toBe(before + 1);
});

describe('an outage', () => {
  test('refuse: the connection is reset and nothing is done', async () => {
    await harness.control('/outage', { on: true, mode: 'refuse' });
    expect(await failure(pay({ operation: 'refused' }))).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    await harness.control('/outage', { on: false });
    const { data } = await harness.control<{ data: LedgerCharge[] }>('/charges?operation=refused');
    expect(data).toEqual([]);
  });

  test('503: an API error, and nothing is done', async () => {
    await harness.control('/outage', { on: true, mode: '503' });
    const refused = await failure(stripe.paymentIntents.list());
    expect(refused).toBeInstanceOf(Stripe.errors.StripeAPIError);
    expect(refused.statusCode).toBe(503);
  });

  test('hang: no response is sent, and nothing is done', async () => {
    await harness.control('/outage', { on: true, mode: 'hang' });
    const shortTimeout = stripeAt(harness.sandbox.url, { timeout: 300 });
    const lost = await failure(shortTimeout.paymentIntents.list());
    expect(lost.message).toContain('timeout');
  });

  test('outlives a restart of the sandbox', async () => {
    await harness.control('/outage', { on: true, mode: '503' });
    const restarted = createSandbox({ ...harness.settings, port: 0 });
    await restarted.listen();
    const refused = await failure(stripeAt(restarted.url).paymentIntents.list());
    await restarted.close();
    expect(refused.statusCode).toBe(503);
  });
});

test('latency delays every response by at least its value', async () => {
  await harness.control('/latency', { ms: 250 });
  const started = performance.now();
  await stripe.balance.retrieve();
  expect(performance.now() - started).toBeGreaterThanOrEqual(245);
});

test('the clock only goes forward, and objects are dated by it', async () => {
  const before = await harness.control<{ now: number }>('/clock');
  await harness.control('/clock', { seconds: 3600 });
  const intent = await stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'usd' });
  expect(intent.created).toBeGreaterThanOrEqual(before.now + 3600);
  await expect(harness.control('/clock', { seconds: -1 })).rejects.toThrow('400');
});

test('the switches can be read back', async () => {
  await harness.control('/outage', { on: true, mode: 'hang' });
  await harness.control('/latency', { ms: 5 });
  expect(await harness.control('/state')).toMatchObject({
    outage: { on: true, mode: 'hang' },
    latency: { ms: 5 },
    webhooks: { on: true },
  });
});

test('every payment method that is listed is accepted', async () => {
  const { data } = await harness.control<{ data: Array<Record<'id' | 'kind', string>> }>('/payment_methods');
  expect(new Set(data.map(({ kind }) => kind))).toEqual(
    new Set(['success', 'decline', 'authentication', 'fault']),
  );
  for (const card of data) {
    expect(card).toEqual({ ...card, label: expect.any(String), description: expect.any(String) });
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 500,
      currency: 'usd',
      payment_method: card.id,
    });
    expect(intent.payment_method).toBe(card.id);
  }
});

test('health needs no API key', async () => {
  expect(await harness.control('/health')).toEqual({ status: 'ok' });
});

test('a page of another site, whose name resolves to this machine, gets 403 from the control API', async () => {
  const { port } = new URL(harness.sandbox.url);
  const statusFor = (host: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, path: '/_sandbox/state', headers: { host } };
      get(options, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
  for (const host of ['evil.example', `evil.example:${port}`, '127.0.0.1.evil.example', '10.0.0.1']) {
    expect(await statusFor(host)).toBe(403);
  }
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, '[::1]']) {
    expect(await statusFor(host)).toBe(200);
  }
});

test('another machine gets 403 from the control API, and 401 from the API without a key', async () => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address;
  if (outside === undefined)
    throw new Error('this machine has only loopback addresses, so this test cannot run');
  const open = createSandbox({ ...harness.settings, host: '0.0.0.0', port: 0 });
  const { port } = new URL(await open.listen());
  const responses = await Promise.all([
    fetch(`http://${outside}:${port}/_sandbox/state`),
    fetch(`http://${outside}:${port}/v1/balance`),
  ]);
  await open.close();
  expect(responses.map(({ status }) => status)).toEqual([403, 401]);
});

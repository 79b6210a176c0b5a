import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setWebhookEndpoint } from './endpoint.ts';
import { maxAttempts } from './perform.ts';
import { verifySignature } from './signature.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let harness: OutboxHarness;
let merchant: WebhookReceiver;
let shop: string;
let secret: string;

beforeAll(async () => {
  [harness, merchant] = await Promise.all([openOutboxHarness(), openWebhookReceiver()]);
});
beforeEach(async () => {
  merchant.received.length = 0;
  merchant.response = () => 200;
  shop = await harness.openShop('Acme');
  secret = await setEndpoint(merchant.url);
});
afterAll(async () => {
  await merchant.close();
  await harness.close();
});

async function setEndpoint(url: string): Promise<string> {
  const result = await setWebhookEndpoint(harness.db, shop, url, 'public_or_loopback');
  if (result.kind !== 'set') throw new Error('The endpoint was refused.');
  return result.secret;
}

const deliveries = () => harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });

test('a merchant gets the payment as JSON, and can verify that it came from us, also with Stripe’s own library', async () => {
  const { payment, eventId } = await harness.buy(shop);
  await harness.work();
  const [webhook] = merchant.received;
  const header = String(webhook?.headers['paidonce-signature']);
  const body = webhook?.body ?? '';
  expect(JSON.parse(body)).toMatchObject({
    id: eventId,
    type: 'payment.succeeded',
    createdAt: expect.any(String),
    data: {
      paymentId: payment.id,
      operationId: payment.operationId,
      reference: payment.reference,
      status: 'succeeded',
      amountMinor: 5400,
      currency: 'usd',
      refundedMinor: 0,
    },
  });
  expect(webhook?.headers).toMatchObject({ 'content-type': 'application/json', 'paidonce-event': eventId });
  expect(verifySignature({ body, header, secret })).toBe(true);
  expect(verifySignature({ body: body.replace('5400', '9400'), header, secret })).toBe(false);
  const verified = new Stripe('sk_test_unused').webhooks.constructEvent(body, header, secret);
  expect(verified.id).toBe(eventId);
});

test('a receiver that responds 500 and then 200: tried again, with the same ids and bytes, and then never more', async () => {
  const { eventId } = await harness.buy(shop);
  merchant.response = () => 500;
  await harness.work();
  expect(await deliveries()).toMatchObject([
    {
      status: 'queued',
      attempts: 1,
      lastStatus: 500,
      lastError: 'The endpoint answered 500.',
      leaseUntil: null,
    },
  ]);
  merchant.response = () => 200;
  await harness.letTimePass();
  await harness.work();
  await harness.doubleJob('payment_event', { tenantId: shop, id: eventId });
  await harness.letTimePass();
  await harness.work();

  const [first, second] = merchant.received;
  expect(merchant.received).toHaveLength(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['paidonce-delivery']).toBe(first?.headers['paidonce-delivery']);
  expect(await deliveries()).toMatchObject([
    { status: 'delivered', attempts: 2, lastStatus: 200, lastError: null },
  ]);
  expect(await harness.jobs()).toEqual([]);
});

test('a redirect is a failure, and is not followed', async () => {
  await harness.buy(shop);
  merchant.response = () => 307;
  await harness.work();
  expect(merchant.received.map(({ path }) => path)).toEqual(['/hooks']);
  expect(await deliveries()).toMatchObject([{ status: 'queued', lastStatus: 307 }]);
  merchant.response = () => 200;
  await harness.letTimePass();
  await harness.work();
});

test('after the last attempt it is failed, and no job is left', async () => {
  await setEndpoint('http://127.0.0.1:9/nobody');
  await harness.buy(shop);
  await harness.work();
  expect(await deliveries()).toMatchObject([
    { status: 'queued', lastStatus: null, lastError: expect.stringContaining('ECONNREFUSED') },
  ]);
  await harness.db.merchantWebhookDelivery.updateMany({
    where: { tenantId: shop },
    data: { attempts: maxAttempts - 1 },
  });
  await harness.letTimePass();
  await harness.work();
  expect(await deliveries()).toMatchObject([{ status: 'failed', attempts: maxAttempts, deliveredAt: null }]);
  expect(await harness.jobs()).toEqual([]);
});

test('an address inside our own network gets no connection once the sandbox is gone', async () => {
  await harness.buy(shop);
  await harness.work({ webhookAddresses: 'public' });
  expect(merchant.received).toEqual([]);
  expect(await deliveries()).toMatchObject([
    { status: 'queued', lastError: 'The address is not one we may send to.' },
  ]);
  await harness.letTimePass();
  await harness.work();
  expect(merchant.received).toHaveLength(1);
});

test('a new endpoint gets the queued deliveries of the old one, signed with its own secret', async () => {
  await setEndpoint('http://127.0.0.1:9/nobody');
  await harness.buy(shop);
  await harness.work();
  secret = await setEndpoint(merchant.url);
  await harness.letTimePass();
  await harness.work();
  const [webhook] = merchant.received;
  const header = String(webhook?.headers['paidonce-signature']);
  expect(verifySignature({ body: webhook?.body ?? '', header, secret })).toBe(true);
});

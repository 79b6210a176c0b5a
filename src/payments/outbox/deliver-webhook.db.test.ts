import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deliverWebhook } from './deliver-webhook.ts';
import type { DeliverySlots } from './delivery-slots.ts';
import { changeEndpoint } from './endpoint.ts';
import { maxAttempts } from './send-message.ts';
import type { TenantRow } from './tenant-row.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { atAnyAddress } from './testing/keys.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let harness: OutboxHarness;
let merchant: WebhookReceiver;
let shop: string;
let endpoint: TenantRow;
let secret: string;

beforeAll(async () => {
  [harness, merchant] = await Promise.all([openOutboxHarness(), openWebhookReceiver()]);
});
beforeEach(async () => {
  merchant.received.length = 0;
  merchant.response = () => 200;
  shop = await harness.openShop('Acme');
  ({ row: endpoint, secret } = await harness.addEndpoint(shop, merchant.url));
});
afterAll(async () => {
  await merchant.close();
  await harness.close();
});

/** The endpoint has another address from now on. */
async function moveEndpoint(url: string): Promise<void> {
  const choice = { url, description: '', eventTypes: [] };
  await harness.db.$transaction((tx) => changeEndpoint(tx, endpoint, choice, atAnyAddress.rule));
}

const deliveries = () => harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });

test('a merchant gets the payment as JSON, and verifies with the Standard Webhooks library that it came from us', async () => {
  const { payment, eventId } = await harness.buy(shop);
  await harness.work();
  const [webhook] = merchant.received;
  const headers = webhook?.headers as Record<string, string>;
  const body = webhook?.body ?? '';
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({
    id: eventId,
    type: 'payment.succeeded',
    timestamp: expect.any(String),
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
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
  });
  const forged = body.replace('5400', '9400');
  expect(() => new Webhook(secret).verify(forged, headers)).toThrow('No matching signature');
  const replayed = { ...headers, 'webhook-id': 'another' };
  expect(() => new Webhook(secret).verify(body, replayed)).toThrow('No matching signature');
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
  await harness.duplicateJob('payment_event', { tenantId: shop, id: eventId });
  await harness.letTimePass();
  await harness.work();

  const [first, second] = merchant.received;
  expect(merchant.received).toHaveLength(2);
  expect(second?.body).toBe(first?.body);
  expect(second?.headers['webhook-id']).toBe(eventId);
  expect(first?.headers['webhook-id']).toBe(eventId);
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
  await moveEndpoint('http://127.0.0.1:9/closed');
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

test('what waits goes to the address that the endpoint has by then, and the row says where it was sent', async () => {
  await moveEndpoint('http://127.0.0.1:9/closed');
  await harness.buy(shop);
  await harness.work();
  expect(await deliveries()).toMatchObject([{ status: 'queued', lastUrl: 'http://127.0.0.1:9/closed' }]);
  await moveEndpoint(merchant.url);
  await harness.letTimePass();
  await harness.work();
  const [webhook] = merchant.received;
  expect(new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers as never)).toBeTruthy();
  expect(await deliveries()).toMatchObject([{ status: 'delivered', lastUrl: merchant.url }]);
});

test('a delivery beyond its tenant’s slots is put back into the queue and not sent; every other one leaves its slot', async () => {
  await harness.buy(shop);
  merchant.response = () => 500;
  await harness.work();
  const [{ id } = { id: '' }] = await deliveries();
  const row = { tenantId: shop, id };
  const durations: number[] = [];
  let [entered, left] = [0, 0];
  const slots: DeliverySlots = {
    enter: () => {
      entered += 1;
      return { kind: 'go', leave: () => (left += 1) };
    },
    took: (tenantId, durationMs) => {
      expect(tenantId).toBe(shop);
      durations.push(durationMs);
    },
    waited: () => expect.unreachable(),
  };
  const full = { ...slots, enter: () => ({ kind: 'full', because: 'slow' }) as const };
  expect(await deliverWebhook(harness.db, { ...atAnyAddress, slots: full }, row)).toBe('held_back');
  expect(merchant.received).toHaveLength(1);
  expect(await deliveries()).toMatchObject([{ status: 'queued', attempts: 1 }]);
  expect(await harness.jobs()).toMatchObject([{ task: 'deliver_webhook', attempts: 1 }]);

  await expect(deliverWebhook(harness.db, { ...atAnyAddress, slots }, row)).rejects.toThrow('answered 500');
  await harness.letTimePass();
  merchant.response = () => 200;
  expect(await deliverWebhook(harness.db, { ...atAnyAddress, slots }, row)).toBe('done');
  expect([entered, left, durations.length]).toEqual([2, 2, 2]);
});

test('a delivery that had to wait for its turn goes on with its pauses: its attempts still span three days', async () => {
  await harness.buy(shop);
  merchant.response = () => 500;
  await harness.work();
  const [{ id } = { id: '' }] = await deliveries();
  await harness.db.$executeRaw`
    UPDATE merchant_webhook_delivery SET attempts = 8 WHERE tenant_id = ${shop} AND id = ${id}::uuid`;
  const full: DeliverySlots = {
    enter: () => ({ kind: 'full', because: 'slow' }),
    took: () => undefined,
    waited: () => undefined,
  };
  const row = { tenantId: shop, id };
  expect(await deliverWebhook(harness.db, { ...atAnyAddress, slots: full }, row)).toBe('held_back');
  await harness.letTimePass();
  await harness.work();
  expect(await deliveries()).toMatchObject([{ status: 'queued', attempts: 9 }]);
  const [job] = await harness.db.$queryRaw<{ pauseMs: number }[]>`
    SELECT extract(epoch FROM run_at - clock_timestamp())::float8 * 1000 AS "pauseMs"
    FROM graphile_worker.jobs WHERE key = ${`deliver_webhook:${id}`}`;
  // After the ninth failure e^9 seconds, and not e^1.
  expect(job?.pauseMs).toBeGreaterThan(2 * 3_600_000);
  expect(job?.pauseMs).toBeLessThan(3 * 3_600_000);
});

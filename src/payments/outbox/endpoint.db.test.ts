import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { paymentEventTypes } from './emit-event.ts';
import { addEndpoint, changeEndpoint, maxEndpoints, removeEndpoint, switchEndpoint } from './endpoint.ts';
import { listEndpoints } from './endpoint-listing.ts';
import { retryDelivery } from './retries.ts';
import type { TenantRow } from './tenant-row.ts';
import { queueTest, testEventType } from './test-delivery.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { atAnyAddress } from './testing/keys.ts';
import { openWebhookReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let harness: OutboxHarness;
let first: WebhookReceiver;
let second: WebhookReceiver;
let shop: string;

beforeAll(async () => {
  [harness, first, second] = await Promise.all([
    openOutboxHarness(),
    openWebhookReceiver(),
    openWebhookReceiver(),
  ]);
});
beforeEach(async () => {
  for (const receiver of [first, second]) {
    receiver.received.length = 0;
    receiver.response = () => 200;
  }
  shop = await harness.openShop('Acme');
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await harness.close();
});

const add = (url: string) =>
  harness.db.$transaction((tx) =>
    addEndpoint(tx, shop, { url, description: '', eventTypes: [] }, atAnyAddress),
  );
const switchTo = (to: 'enabled' | 'disabled', row: TenantRow) =>
  harness.db.$transaction((tx) => switchEndpoint(tx, row, to));
const remove = (row: TenantRow) => harness.db.$transaction((tx) => removeEndpoint(tx, row));
const sendTest = (row: TenantRow) => harness.db.$transaction((tx) => queueTest(tx, row));
const deliveries = (row: TenantRow) =>
  harness.db.merchantWebhookDelivery.findMany({
    where: { tenantId: row.tenantId, endpointId: row.id },
    orderBy: { createdAt: 'asc' },
  });
const typesAt = ({ received }: WebhookReceiver) => received.map(({ body }) => JSON.parse(body).type);

describe('several endpoints', () => {
  test('each gets the event once, under the same id and with the same bytes, signed with its own secret', async () => {
    const { secret } = await harness.addEndpoint(shop, first.url);
    const other = await harness.addEndpoint(shop, second.url);
    const { eventId } = await harness.buy(shop);
    await harness.duplicateJob('payment_event', { tenantId: shop, id: eventId });
    await harness.work();
    const [[one, ...moreOne], [two, ...moreTwo]] = [first.received, second.received];
    expect([moreOne, moreTwo]).toEqual([[], []]);
    expect(one?.body).toBe(two?.body);
    expect([one?.headers['webhook-id'], two?.headers['webhook-id']]).toEqual([eventId, eventId]);
    const verify = (key: string, { body, headers }: NonNullable<typeof one>) =>
      new Webhook(key).verify(body, headers as Record<string, string>);
    if (!one || !two) throw new Error('Both receive it.');
    expect(verify(secret, one)).toMatchObject({ id: eventId });
    expect(verify(other.secret, two)).toMatchObject({ id: eventId });
    expect(() => verify(secret, two)).toThrow('No matching signature');
  });

  test('each gets the types that it has chosen, and one that has chosen none gets all', async () => {
    await harness.addEndpoint(shop, first.url, { eventTypes: ['refund.succeeded', 'payment.declined'] });
    await harness.addEndpoint(shop, second.url);
    const { payment } = await harness.buy(shop);
    await harness.buy(shop, { result: 'declined' });
    await harness.refund(shop, payment.id, 400);
    await harness.work();
    expect(typesAt(first).toSorted()).toEqual(['payment.declined', 'refund.succeeded']);
    expect(typesAt(second).toSorted()).toEqual(['payment.declined', 'payment.succeeded', 'refund.succeeded']);
  });

  test('one that is broken delays none of the other’s, and is tried again by itself', async () => {
    const broken = await harness.addEndpoint(shop, first.url);
    await harness.addEndpoint(shop, second.url);
    first.response = () => 500;
    for (let n = 0; n < 3; n += 1) await harness.buy(shop);
    await harness.work();
    expect(second.received).toHaveLength(3);
    expect((await deliveries(broken.row)).map(({ status }) => status)).toEqual([
      'queued',
      'queued',
      'queued',
    ]);
    first.response = () => 200;
    for (let hours = 0; hours < 3; hours += 1) {
      await harness.letTimePass();
      await harness.work();
    }
    expect((await deliveries(broken.row)).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
    expect(second.received).toHaveLength(3);
  });

  test('one that does not answer, and failed before, holds one slot of the worker and not all of them', async () => {
    const silent = await harness.addEndpoint(shop, first.url, { eventTypes: ['payment.succeeded'] });
    await harness.addEndpoint(shop, second.url, { eventTypes: ['payment.declined'] });
    first.response = () => 500;
    await harness.buy(shop);
    await harness.work();
    expect(await listEndpoints(harness.db, shop)).toMatchObject([
      { failingSince: expect.any(String) },
      { failingSince: null },
    ]);

    // More than the worker has slots, and all of them are due before the other endpoint's.
    first.received.length = 0;
    const answer = Promise.withResolvers<number>();
    first.response = () => answer.promise;
    for (let n = 0; n < 6; n += 1) await harness.buy(shop);
    await harness.buy(shop, { result: 'declined' });
    const working = harness.work();
    await Promise.all([first.receive(1), second.receive(1)]);
    expect(first.received).toHaveLength(1);
    answer.resolve(200);
    await working;

    for (let hours = 0; hours < 2; hours += 1) {
      await harness.letTimePass();
      await harness.work();
    }
    expect((await deliveries(silent.row)).map(({ status }) => status)).toEqual(Array(7).fill('delivered'));
    expect(await listEndpoints(harness.db, shop)).toMatchObject([{ failingSince: null }, {}]);
  });

  test('an address is used once, written as browsers write it; a removed one can be added again', async () => {
    const added = await add('HTTP://127.0.0.1:4000');
    if (added.kind !== 'added') throw new Error(added.kind);
    expect(added.url).toBe('http://127.0.0.1:4000/');
    expect(await add('http://127.0.0.1:4000/')).toEqual({ kind: 'url_taken' });
    const other = await harness.addEndpoint(shop, first.url);
    const choice = { url: added.url, description: '', eventTypes: [] };
    const changed = harness.db.$transaction((tx) => changeEndpoint(tx, other.row, choice, atAnyAddress.rule));
    expect(await changed).toEqual({ kind: 'url_taken' });
    expect(await add('http://10.0.0.1/')).toEqual({ kind: 'url_refused' });
    await remove({ tenantId: shop, id: added.id });
    expect(await add('http://127.0.0.1:4000/')).toMatchObject({ kind: 'added' });
  });

  test('added thirty at once: no more than the limit are', async () => {
    const all = Array.from({ length: 30 }, (_, n) => add(`https://merchant.example/${n}`));
    const kinds = (await Promise.all(all)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'added')).toHaveLength(maxEndpoints);
    expect(kinds.filter((kind) => kind === 'too_many')).toHaveLength(30 - maxEndpoints);
    expect(await listEndpoints(harness.db, shop)).toHaveLength(maxEndpoints);
  });

  test('the same address sent ten times at once is added once', async () => {
    const kinds = await Promise.all(Array.from({ length: 10 }, () => add('https://merchant.example/')));
    expect(kinds.filter(({ kind }) => kind === 'added')).toHaveLength(1);
  });
});

describe('an endpoint that is disabled or removed', () => {
  test.each([
    ['disabled', (row: TenantRow) => switchTo('disabled', row)],
    ['removed', remove],
  ] as const)('%s while deliveries wait: they end, with the reason, and are not sent', async (how, end) => {
    const { row } = await harness.addEndpoint(shop, first.url);
    first.response = () => 503;
    await harness.buy(shop);
    await harness.work();
    expect(await end(row)).toMatchObject({ cancelled: 1 });
    expect(await deliveries(row)).toMatchObject([
      {
        status: 'cancelled',
        attempts: 1,
        lastStatus: 503,
        lastError: `The endpoint was ${how} before this could be delivered.`,
        leaseUntil: null,
      },
    ]);
    await harness.buy(shop);
    await harness.letTimePass();
    await harness.work();
    expect(first.received).toHaveLength(1);
    expect(await deliveries(row)).toHaveLength(1);
    expect(await harness.jobs()).toEqual([]);
  });

  test.each([
    ['disabled', (row: TenantRow) => switchTo('disabled', row)],
    ['removed', remove],
  ] as const)(
    '%s at the moment a delivery is written: the worker reads it before it sends',
    async (how, end) => {
      const { row } = await harness.addEndpoint(shop, first.url);
      await harness.buy(shop);
      await end(row);
      // As if the consumer had read the endpoint just before.
      const event = await harness.db.outboxEvent.findFirstOrThrow({ where: { tenantId: shop } });
      const { id } = await harness.db.merchantWebhookDelivery.create({
        data: { tenantId: shop, endpointId: row.id, eventId: event.id, type: event.type, body: '{}' },
      });
      await harness.duplicateJob('deliver_webhook', { tenantId: shop, id });
      await harness.work();
      expect(first.received).toEqual([]);
      expect(await deliveries(row)).toMatchObject([
        { status: 'cancelled', attempts: 0, lastError: expect.stringContaining(how) },
      ]);
    },
  );

  test('disabled while a message is on its way that arrives: it is delivered', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    await harness.buy(shop);
    first.response = async () => {
      await switchTo('disabled', row);
      return 200;
    };
    await harness.work();
    expect(await deliveries(row)).toMatchObject([{ status: 'delivered', lastError: null, attempts: 1 }]);
  });

  test('enabled again: it gets what happens from then on, and what was cancelled when it is sent again', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    first.response = () => 503;
    const { eventId } = await harness.buy(shop);
    await harness.work();
    const [waiting] = await deliveries(row);
    await switchTo('disabled', row);
    await harness.buy(shop);
    await harness.work();
    expect(await retryDelivery(harness.db, shop, waiting?.id ?? '')).toBe(false);

    expect(await switchTo('enabled', row)).toMatchObject({ cancelled: 0 });
    expect(await switchTo('enabled', row)).toBeUndefined();
    first.received.length = 0;
    first.response = () => 200;
    const later = await harness.buy(shop);
    expect(await retryDelivery(harness.db, shop, waiting?.id ?? '')).toBe(true);
    await harness.work();
    expect(first.received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(
      [eventId, later.eventId].toSorted(),
    );
  });

  test('removed: its secrets are deleted, its history stays, and it cannot come back', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    await harness.buy(shop);
    await harness.work();
    await remove(row);
    expect(await harness.db.merchantWebhookEndpoint.findMany({ where: { tenantId: shop } })).toMatchObject([
      { secret: null, secretKey: null, oldSecret: null },
    ]);
    expect(await deliveries(row)).toMatchObject([{ status: 'delivered' }]);
    expect(await listEndpoints(harness.db, shop)).toEqual([]);
    expect(await remove(row)).toBeUndefined();
    expect(await switchTo('enabled', row)).toBeUndefined();
    expect(await sendTest(row)).toBeUndefined();
  });
});

describe('a test', () => {
  test('is sent as everything else is, also to an endpoint that chose other types, and says how it went', async () => {
    const { row, secret } = await harness.addEndpoint(shop, first.url, { eventTypes: ['refund.failed'] });
    const test = await sendTest(row);
    await harness.work();
    const [webhook] = first.received;
    expect(new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers as never)).toMatchObject({
      id: test?.deliveryId,
      type: testEventType,
      data: { message: expect.any(String) },
    });
    expect(webhook?.headers['webhook-id']).toBe(test?.deliveryId);
    const [endpoint] = await listEndpoints(harness.db, shop);
    expect(endpoint?.deliveries).toMatchObject([
      {
        ...{
          id: test?.deliveryId,
          type: testEventType,
          status: 'delivered',
          lastStatus: 200,
          lastError: null,
        },
        ...{ lastDurationMs: expect.any(Number), lastAttemptAt: expect.any(String) },
      },
    ]);
  });

  test('that fails is not repeated by itself', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    first.response = () => 404;
    const test = await sendTest(row);
    await harness.work();
    expect(await deliveries(row)).toMatchObject([
      { status: 'failed', attempts: 1, lastStatus: 404, lastError: 'The endpoint answered 404.' },
    ]);
    expect(await harness.jobs()).toEqual([]);
    expect(await retryDelivery(harness.db, shop, test?.deliveryId ?? '')).toBe(false);
  });

  test('asked for ten times at once is sent once, and another one after that', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    const tests = await Promise.all(Array.from({ length: 10 }, () => sendTest(row)));
    expect(new Set(tests.map((test) => test?.deliveryId)).size).toBe(1);
    expect(tests.filter((test) => test?.isNew)).toHaveLength(1);
    await harness.work();
    expect(first.received).toHaveLength(1);
    await sendTest(row);
    await harness.work();
    expect(first.received).toHaveLength(2);
  });

  test('is refused for a disabled endpoint', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    await switchTo('disabled', row);
    expect(await sendTest(row)).toBeUndefined();
  });
});

describe('the database refuses', () => {
  test.each([
    ['a type that does not exist', `event_types = ARRAY['payment.guessed']`],
    ['a live endpoint without a secret', 'secret = NULL'],
    ['a removed one with a secret', 'removed_at = now()'],
    ['an old secret without an end', 'old_secret = secret, old_secret_key = secret_key'],
    ['an address that is none', `url = 'ftp://merchant.example'`],
  ])('%s', async (_, set) => {
    await harness.addEndpoint(shop, first.url);
    const update = `UPDATE merchant_webhook_endpoint SET ${set} WHERE tenant_id = '${shop}'`;
    await expect(harness.db.$executeRawUnsafe(update)).rejects.toThrow('merchant_webhook_endpoint_');
  });

  test('a test that is about an event, and an event’s delivery without one', async () => {
    const { row } = await harness.addEndpoint(shop, first.url);
    const data = { tenantId: shop, endpointId: row.id, body: '{}' };
    for (const type of paymentEventTypes) {
      await expect(harness.db.merchantWebhookDelivery.create({ data: { ...data, type } })).rejects.toThrow(
        'merchant_webhook_delivery_test',
      );
    }
  });
});

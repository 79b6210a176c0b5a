import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverWebhook } from './deliver-webhook.ts';
import type { DeliverySlots } from './delivery-slots.ts';
import { queueEmail } from './queue-email.ts';
import { relayEvents } from './relay.ts';
import { queueTest } from './test-delivery.ts';
import { type OutboxHarness, openOutboxHarness } from './testing/harness.ts';
import { atAnyAddress } from './testing/keys.ts';
import { notifyMerchants } from './webhook-consumer.ts';

let harness: OutboxHarness;

beforeAll(async () => {
  harness = await openOutboxHarness();
});
afterAll(() => harness.close());

const full: DeliverySlots = {
  enter: () => ({ kind: 'full', because: 'slow' }),
  took: () => undefined,
  waited: () => undefined,
};

/** How long each of the held back deliveries waits, and with which priority it comes back. */
function heldBack(ids: readonly string[]) {
  const keys = ids.map((id) => `deliver_webhook:${id}`);
  return harness.db.$queryRaw<{ waitMs: number; priority: number }[]>`
    SELECT extract(epoch FROM run_at - clock_timestamp())::float8 * 1000 AS "waitMs", priority::int
    FROM graphile_worker.jobs WHERE key = ANY (${keys}::text[])`;
}

/** The deliveries in the order in which a worker takes them up. */
async function deliveriesInOrder() {
  const jobs = await harness.db.$queryRaw<{ key: string }[]>`
    SELECT key FROM graphile_worker.jobs WHERE task_identifier = 'deliver_webhook' ORDER BY priority, run_at, id`;
  return jobs.map(({ key }) => key.replace('deliver_webhook:', ''));
}

test('the webhook of one shop is not behind all of those that another shop has to send', async () => {
  const [busy, quiet] = [await harness.openShop('Globex'), await harness.openShop('Acme')];
  for (const shop of [busy, quiet]) await harness.addEndpoint(shop, 'http://127.0.0.1:9/hooks');
  const relay = () =>
    relayEvents(
      harness.db,
      { merchant_webhook: notifyMerchants },
      { onConsumed: () => undefined, onBatchFailed: (error) => expect.unreachable(String(error)) },
    );
  await Promise.all(Array.from({ length: 25 }, () => harness.buy(busy)));
  await harness.buy(quiet);
  while ((await relay()) > 0);
  const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: quiet } });
  const order = await deliveriesInOrder();
  expect(order).toHaveLength(26);
  expect(order.indexOf(delivery?.id ?? '')).toBe(20);
});

test('nor behind the first ones of each of that shop’s ten addresses', async () => {
  await harness.db.$executeRaw`SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs`;
  const [busy, quiet] = [await harness.openShop('Globex'), await harness.openShop('Acme')];
  for (let address = 0; address < 10; address += 1)
    await harness.addEndpoint(busy, `http://127.0.0.1:9/${address}`);
  await harness.addEndpoint(quiet, 'http://127.0.0.1:9/hooks');
  await Promise.all(Array.from({ length: 4 }, () => harness.buy(busy)));
  await harness.buy(quiet);
  await relayEvents(
    harness.db,
    { merchant_webhook: notifyMerchants },
    { onConsumed: () => undefined, onBatchFailed: (error) => expect.unreachable(String(error)) },
  );
  const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: quiet } });
  const order = await deliveriesInOrder();
  expect(order).toHaveLength(41);
  expect(order.indexOf(delivery?.id ?? '')).toBe(20);
});

test('the receipt of one shop is not behind all of those that another shop has to send', async () => {
  const [busy, quiet] = [await harness.openShop('Globex'), await harness.openShop('Acme')];
  const queue = (tenantId: string, number: number) =>
    harness.db.$transaction((tx) =>
      queueEmail(tx, tenantId, {
        dedupeKey: `receipt:${number}`,
        toAddress: 'shopper@example.com',
        subject: 'Receipt',
        html: '',
        text: '',
      }),
    );
  for (let number = 0; number < 25; number += 1) await queue(busy, number);
  await queue(quiet, 1);
  const [email] = await harness.db.email.findMany({ where: { tenantId: quiet } });
  const jobs = await harness.db.$queryRaw<{ key: string }[]>`
    SELECT key FROM graphile_worker.jobs WHERE task_identifier = 'send_email' ORDER BY priority, run_at, id`;
  expect(jobs).toHaveLength(26);
  expect(jobs.findIndex(({ key }) => key === `send_email:${email?.id}`)).toBe(20);
});

test('a batch has one statement for the jobs of all its deliveries: a shop with ten addresses does not have the batch time out', async () => {
  const shop = await harness.openShop('Globex');
  for (let address = 0; address < 10; address += 1)
    await harness.addEndpoint(shop, `http://127.0.0.1:9/${address}`);
  await Promise.all(Array.from({ length: 3 }, () => harness.buy(shop)));
  const events = await harness.db.outboxEvent.findMany({
    where: { tenantId: shop },
    include: { payment: true },
  });
  let statements = 0;
  await harness.db.$transaction(async (tx) => {
    const counting = new Proxy(tx, {
      get(target, name) {
        if (name === '$executeRaw') statements += 1;
        return Reflect.get(target, name);
      },
    });
    await notifyMerchants(counting, events);
  });
  expect(statements).toBe(1);
  const deliveries = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId: shop } });
  expect(deliveries).toHaveLength(30);
  expect(await deliveriesInOrder()).toEqual(expect.arrayContaining(deliveries.map(({ id }) => id)));
  await harness.db
    .$executeRaw`UPDATE outbox_event SET relayed_at = clock_timestamp() WHERE tenant_id = ${shop}`;
});

test('what waits for a server that does not answer does not occupy the worker by coming back, however much it is', async () => {
  const shop = await harness.openShop('Globex');
  const { row: endpoint } = await harness.addEndpoint(shop, 'http://127.0.0.1:9/silent');
  const { payment } = await harness.buy(shop);
  const waiting = Array.from({ length: 3_000 }, () => randomUUID());
  await harness.db.$executeRaw`
    WITH events AS (
      INSERT INTO outbox_event (tenant_id, id, payment_id, source_id, type, relayed_at)
      SELECT ${shop}, id, ${payment.id}::uuid, id, 'payment.succeeded', clock_timestamp()
      FROM unnest(${waiting}::uuid[]) AS id
      RETURNING *)
    INSERT INTO merchant_webhook_delivery (tenant_id, id, endpoint_id, type, body, event_id)
    SELECT tenant_id, id, ${endpoint.id}::uuid, type, '{}', id FROM events`;

  const some = waiting.slice(0, 30);
  for (const id of some) {
    const settings = { ...atAnyAddress, slots: full };
    expect(await deliverWebhook(harness.db, settings, { tenantId: shop, id })).toBe('held_back');
  }
  const jobs = await heldBack(some);
  expect(jobs).toHaveLength(30);
  // Ten in a second of 3,000 are spread over five minutes: of thirty at random, not all are within the first of them.
  expect(Math.max(...jobs.map(({ waitMs }) => waitMs))).toBeGreaterThan(70_000);
  expect(Math.max(...jobs.map(({ waitMs }) => waitMs))).toBeLessThanOrEqual(310_000);
  // They come back behind what other shops have to send.
  const priorityOf = async (tenantId: string) => {
    const [delivery] = await harness.db.merchantWebhookDelivery.findMany({ where: { tenantId } });
    return (await heldBack([delivery?.id ?? '']))[0]?.priority ?? Number.NaN;
  };
  const other = await harness.openShop('Acme');
  const { row: silent } = await harness.addEndpoint(other, 'http://127.0.0.1:9/other');
  await harness.db.$transaction((tx) => queueTest(tx, silent));
  expect(Math.min(...jobs.map(({ priority }) => priority))).toBeGreaterThan(await priorityOf(other));
});

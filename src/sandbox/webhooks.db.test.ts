import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from './index.ts';
import { CARD_ONLY, failure, type Harness, openHarness, stripeAt } from './testing/harness.ts';
import { isAbout, isAboutIntent, openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';
import { API_VERSION } from './versions.ts';

let receiver: WebhookReceiver;
let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  receiver = await openReceiver();
  harness = await openHarness({ webhook: { url: receiver.url, secret: receiver.secret } });
  stripe = harness.stripe;
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

const pay = (payment_method = 'pm_card_visa') =>
  stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1000,
    currency: 'usd',
    payment_method,
    confirm: true,
  });

const typesAbout = (intent: string) =>
  receiver.received.filter(isAbout(intent)).map(({ event }) => event.type);

describe('what is sent', () => {
  test('a payment sends signed events of its creation, its charge and its success', async () => {
    const paid = await pay();
    await receiver.receive(isAbout(paid.id), 4);
    expect(typesAbout(paid.id).sort()).toEqual([
      'charge.succeeded',
      'charge.updated',
      'payment_intent.created',
      'payment_intent.succeeded',
    ]);
    const [succeeded] = await receiver.receive(isAbout(paid.id, 'payment_intent.succeeded'));
    expect(succeeded?.event).toMatchObject({ object: 'event', livemode: false, data: { object: paid } });
    expect(succeeded?.event.request?.id).toBe(paid.lastResponse.requestId);
    // The receiver has verified it with its secret; with another secret verification fails.
    expect(() =>
      stripe.webhooks.constructEvent(
        succeeded?.payload as string,
        succeeded?.signature as string,
        'whsec_other',
      ),
    ).toThrow(Stripe.errors.StripeSignatureVerificationError);
  });

  test('a decline sends events of the failed charge and the failed payment', async () => {
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_card_chargeDeclined',
    });
    await failure(stripe.paymentIntents.confirm(intent.id));
    await receiver.receive(isAbout(intent.id), 3);
    const types = ['charge.failed', 'payment_intent.created', 'payment_intent.payment_failed'];
    expect(typesAbout(intent.id).sort()).toEqual(types);
  });

  test('a cancellation and a refund send events', async () => {
    const intent = await stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'usd' });
    await stripe.paymentIntents.cancel(intent.id);
    await receiver.receive(isAbout(intent.id, 'payment_intent.canceled'));
    const paid = await pay();
    await stripe.refunds.create({ payment_intent: paid.id });
    await receiver.receive(isAbout(paid.id, 'refund.created'));
    for (const type of ['refund.updated', 'charge.refund.updated'] as const) {
      const [updated] = await receiver.receive(isAbout(paid.id, type));
      expect(updated?.event.data).toMatchObject({
        object: { destination_details: { card: { reference_status: 'available' } } },
        previous_attributes: { destination_details: { card: { reference_status: 'pending' } } },
      });
    }
    const [refunded] = await receiver.receive(isAbout(paid.id, 'charge.refunded'));
    expect(refunded?.event.data.object).toMatchObject({ amount_refunded: 1000, refunded: true });
  });
});

describe('updates', () => {
  test('charge.updated follows the success of an asynchronous capture, and brings its balance transaction', async () => {
    const paid = await pay();
    const [succeeded] = await receiver.receive(isAbout(paid.id, 'charge.succeeded'));
    expect(succeeded?.event.data.object).toMatchObject({ balance_transaction: null });
    const [updated] = await receiver.receive(isAbout(paid.id, 'charge.updated'));
    expect(updated?.event.data).toMatchObject({
      object: { balance_transaction: expect.stringMatching(/^txn_\w{24}$/) },
      previous_attributes: { balance_transaction: null },
    });
    const charge = updated?.event.data.object as Stripe.Charge | undefined;
    expect(await stripe.balanceTransactions.retrieve(charge?.balance_transaction as string)).toMatchObject({
      amount: 1000,
      source: paid.latest_charge,
    });
  });

  test('a synchronous capture has its balance transaction at once, and no update follows', async () => {
    const paid = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      ...{ amount: 1000, currency: 'usd', payment_method: 'pm_card_visa', confirm: true },
      capture_method: 'automatic',
    });
    const { data } = await stripe.events.list({ limit: 3 });
    const types = data.filter((event) => isAboutIntent(event, paid.id)).map(({ type }) => type);
    expect(types.sort()).toEqual(['charge.succeeded', 'payment_intent.created', 'payment_intent.succeeded']);
    const charge = await stripe.charges.retrieve(paid.latest_charge as string);
    expect(charge.balance_transaction).toMatch(/^txn_/);
  });

  test('a refund that fails says why, and sends refund.updated, charge.refund.updated and refund.failed', async () => {
    const paid = await pay();
    const refund = await stripe.refunds.create({ payment_intent: paid.id });
    expect(refund.failure_reason).toBeUndefined();
    await harness.control('/refunds/fail', { refund: refund.id, reason: 'lost_or_stolen_card' });
    const failed = await stripe.refunds.retrieve(refund.id, { expand: ['failure_balance_transaction'] });
    expect(failed).toMatchObject({
      status: 'failed',
      failure_reason: 'lost_or_stolen_card',
      failure_balance_transaction: { amount: 1000, type: 'refund_failure' },
    });
    await receiver.receive(isAbout(paid.id, 'refund.failed'));
    for (const type of ['refund.updated', 'charge.refund.updated'] as const) {
      // They may arrive in any order.
      const received = await receiver.receive(isAbout(paid.id, type), 2);
      const updated = received.map(({ event }) => event.data);
      expect(updated.find(({ object }) => 'status' in object && object.status === 'failed')).toMatchObject({
        object: { status: 'failed', failure_reason: 'lost_or_stolen_card' },
        previous_attributes: { status: 'succeeded' },
      });
    }
  });
});

describe('endpoints', () => {
  test("get events in their own API version, and in the account's when they name none", async () => {
    const old = await openReceiver('whsec_unknown');
    const { secret } = await stripe.webhookEndpoints.create({
      url: old.url,
      enabled_events: ['payment_intent.created'],
      api_version: '2024-06-20',
    });
    old.verifyWith(secret as string);
    const intent = await stripe.paymentIntents.create(
      { amount: 1000, currency: 'usd' },
      { apiVersion: '2023-10-16' },
    );
    const [inOldVersion] = await old.receive(isAbout(intent.id));
    expect(inOldVersion?.event.api_version).toBe('2024-06-20');
    const [inAccountVersion] = await receiver.receive(isAbout(intent.id));
    expect(inAccountVersion?.event.api_version).toBe(API_VERSION);
    await old.close();
  });

  test('refuse events that do not exist, and a version that is none', async () => {
    const url = 'https://shop.test/hooks';
    const enabled_events = ['payment_intent.created', 'payment_intent.paid'] as never[];
    const refused = await failure(stripe.webhookEndpoints.create({ url, enabled_events }));
    expect(refused).toMatchObject({ statusCode: 400, param: 'enabled_events[1]' });
    expect(refused.message).toMatch(/^Invalid enabled_events\[1\]: must be one of \*, account\./);
    const version = await failure(
      stripe.webhookEndpoints.create({ url, enabled_events: ['*'], api_version: 'new' as never }),
    );
    expect(version).toMatchObject({ statusCode: 400, param: 'api_version' });
  });

  test('named in the settings get the events that the settings name', async () => {
    const webhook = { url: 'http://127.0.0.1:1/named', secret: 'whsec_named', events: ['charge.updated'] };
    const named = await openHarness({ webhook });
    const { data } = await named.stripe.webhookEndpoints.list();
    await named.close();
    expect(data).toEqual([expect.objectContaining({ url: webhook.url, enabled_events: ['charge.updated'] })]);
  });

  test('are created with a secret that is returned once, and get only the events they enable', async () => {
    const endpoint = await stripe.webhookEndpoints.create({
      url: 'http://127.0.0.1:1/unreachable',
      enabled_events: ['payment_intent.canceled'],
    });
    expect(endpoint).toMatchObject({ object: 'webhook_endpoint', status: 'enabled' });
    expect(endpoint.id).toMatch(/^we_/);
    expect(endpoint.secret).toMatch(/^whsec_/);
    expect((await stripe.webhookEndpoints.retrieve(endpoint.id)).secret).toBeUndefined();
    expect((await stripe.webhookEndpoints.list()).data.map(({ id }) => id)).toContain(endpoint.id);

    const paid = await pay();
    await receiver.receive(isAbout(paid.id), 4);
    const { data } = await stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 });
    expect(data[0]?.data.object).toMatchObject({ id: paid.id });

    expect(await stripe.webhookEndpoints.del(endpoint.id)).toMatchObject({ deleted: true });
    expect(await failure(stripe.webhookEndpoints.retrieve(endpoint.id))).toMatchObject({ statusCode: 404 });
  });

  test('named in the settings are registered once, also after a restart', async () => {
    const again = createSandbox({ ...harness.settings, port: 0 });
    await again.listen();
    const { data } = await stripeAt(again.url).webhookEndpoints.list();
    await again.close();
    expect(data.filter(({ url }) => url === receiver.url)).toHaveLength(1);
  });
});

describe('when the endpoint fails', () => {
  test('the event is sent again, with the same id, until it is accepted', async () => {
    receiver.respondWith(500);
    const paid = await pay();
    const succeeded = isAbout(paid.id, 'payment_intent.succeeded');
    const [first] = await receiver.receive(succeeded);
    receiver.respondWith(200);
    await harness.control('/clock', { seconds: 60 });
    const attempts = await receiver.receive(succeeded, 2);
    expect(attempts.map(({ event }) => event.id)).toEqual([first?.event.id, first?.event.id]);
  });

  test('an undelivered event survives a restart of the sandbox', async () => {
    receiver.respondWith(503);
    const other = createSandbox({ ...harness.settings, port: 0 });
    await other.listen();
    const paid = await stripeAt(other.url).paymentIntents.create({
      ...CARD_ONLY,
      amount: 700,
      currency: 'usd',
      payment_method: 'pm_card_visa',
      confirm: true,
    });
    const succeeded = isAbout(paid.id, 'payment_intent.succeeded');
    await receiver.receive(succeeded);
    await other.close();
    const received = receiver.received.filter(succeeded).length;
    receiver.respondWith(200);
    await harness.control('/clock', { seconds: 3600 });
    await receiver.receive(succeeded, received + 1);
  });
});

describe('switches', () => {
  test('webhooks that are switched off stay pending, and are sent when they are switched on again', async () => {
    await harness.control('/webhooks', { on: false });
    const paid = await pay();
    const before = await stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 });
    expect(before.data[0]).toMatchObject({ pending_webhooks: 1 });
    expect(typesAbout(paid.id)).toEqual([]);
    await harness.control('/webhooks', { on: true });
    await receiver.receive(isAbout(paid.id), 4);
  });

  test('redeliver sends an event again', async () => {
    const paid = await pay();
    const [first] = await receiver.receive(isAbout(paid.id, 'payment_intent.succeeded'));
    await harness.control('/webhooks/redeliver', { event: first?.event.id as string });
    await receiver.receive(isAbout(paid.id, 'payment_intent.succeeded'), 2);
    await expect(harness.control('/webhooks/redeliver', { event: 'evt_nowhere' })).rejects.toThrow('404');
  });
});

describe('webhook faults', () => {
  test('twice: every event of the intent arrives twice', async () => {
    const paid = await pay('pm_fault_webhook_twice');
    await receiver.receive(isAbout(paid.id), 8);
    const ids = receiver.received.filter(isAbout(paid.id)).map(({ event }) => event.id);
    expect(new Set(ids).size).toBe(4);
    expect(ids).toHaveLength(8);
  });

  test('never: the event exists, and no endpoint receives it', async () => {
    const unsent = await pay('pm_fault_webhook_never');
    const { data } = await stripe.events.list({ type: 'payment_intent.succeeded', limit: 1 });
    expect(data[0]).toMatchObject({ pending_webhooks: 0, data: { object: { id: unsent.id } } });
    // Deliveries are sent in order, so the arrival of a later payment's events proves that none was pending for this one.
    const later = await pay();
    await receiver.receive(isAbout(later.id), 4);
    expect(typesAbout(unsent.id)).toEqual([]);
  });

  test('out of order: success arrives before creation, both arrive', async () => {
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_fault_webhook_out_of_order',
    });
    await stripe.paymentIntents.confirm(intent.id);
    await receiver.receive(isAbout(intent.id, 'payment_intent.created'));
    const order = typesAbout(intent.id).filter((type) => type.startsWith('payment_intent.'));
    expect(order).toEqual(['payment_intent.succeeded', 'payment_intent.created']);
  });

  test('first: the response comes after the webhook was accepted', async () => {
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      amount: 500,
      currency: 'usd',
      payment_method: 'pm_fault_webhook_first',
    });
    const paid = await stripe.paymentIntents.confirm(intent.id);
    expect(paid.status).toBe('succeeded');
    expect(typesAbout(intent.id)).toContain('payment_intent.succeeded');
  });
});

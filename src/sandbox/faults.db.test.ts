import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness, stripeAt } from './testing/harness.ts';
import { isAbout, openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let receiver: WebhookReceiver;
let harness: Harness;
let stripe: Stripe;
/** For calls that never get a response. */
let shortTimeout: Stripe;
beforeAll(async () => {
  receiver = await openReceiver();
  harness = await openHarness({
    webhook: { url: receiver.url, secret: receiver.secret },
    slowResponseMs: 1_500,
  });
  stripe = harness.stripe;
  shortTimeout = stripeAt(harness.sandbox.url, { timeout: 400 });
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

async function prepare(payment_method: string) {
  const { id } = await stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1000,
    currency: 'usd',
    payment_method,
  });
  const key = { idempotencyKey: randomUUID() };
  return {
    id,
    confirm: (client = stripe) => client.paymentIntents.confirm(id, {}, key),
    charged: async () => (await chargesOf(harness, id)).filter(({ status }) => status === 'succeeded').length,
    status: async () => (await stripe.paymentIntents.retrieve(id)).status,
  };
}

describe('charged, and the response is lost', () => {
  test('no response: the caller times out, the money has moved, a retry replays the success', async () => {
    const payment = await prepare('pm_fault_charged_no_response');
    const lost = await failure(payment.confirm(shortTimeout));
    expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await payment.charged()).toBe(1);
    const replayed = await payment.confirm();
    expect(replayed.status).toBe('succeeded');
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await payment.charged()).toBe(1);
  });

  test('reset: the caller gets it in spite of the retry that the SDK makes by itself, and a later retry replays', async () => {
    const payment = await prepare('pm_fault_charged_reset');
    const lost = await failure(payment.confirm());
    expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(lost.detail).toMatchObject({ code: 'ECONNRESET' });
    expect(await payment.charged()).toBe(1);
    expect((await payment.confirm()).lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await payment.charged()).toBe(1);
  });

  test('truncated: half of the body arrives, and a retry replays all of it', async () => {
    const payment = await prepare('pm_fault_truncated_response');
    expect(await failure(payment.confirm())).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await payment.charged()).toBe(1);
    expect((await payment.confirm()).status).toBe('succeeded');
    expect(await payment.charged()).toBe(1);
  });

  test('error 500: it is stored together with the charge, so a retry replays the 500', async () => {
    const payment = await prepare('pm_fault_charged_500');
    const first = await failure(payment.confirm());
    expect(first).toBeInstanceOf(Stripe.errors.StripeAPIError);
    expect(first.statusCode).toBe(500);
    const second = await failure(payment.confirm());
    expect(second.statusCode).toBe(500);
    expect(second.headers?.['idempotent-replayed']).toBe('true');
    expect(second.headers?.['stripe-should-retry']).toBe('false');
    expect(await payment.charged()).toBe(1);
    expect(await payment.status()).toBe('succeeded');
  });

  test('slow: the key is in use until the late response is sent, then it replays', async () => {
    const payment = await prepare('pm_fault_slow');
    const late = payment.confirm();
    const [event] = await receiver.receive(isAbout(payment.id, 'payment_intent.succeeded'));
    expect(event).toBeDefined();
    const concurrent = await failure(payment.confirm());
    expect(concurrent).toMatchObject({ statusCode: 409, code: 'idempotency_key_in_use' });
    expect((await late).status).toBe('succeeded');
    expect((await payment.confirm()).lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await payment.charged()).toBe(1);
  });
});

describe('not charged, and the response is lost', () => {
  test('no response: nothing happened, and a retry executes', async () => {
    const payment = await prepare('pm_fault_not_charged_no_response');
    expect(await failure(payment.confirm(shortTimeout))).toBeInstanceOf(Stripe.errors.StripeConnectionError);
    expect(await payment.status()).toBe('requires_confirmation');
    expect(await payment.charged()).toBe(0);
    const paid = await payment.confirm();
    expect(paid.status).toBe('succeeded');
    expect(paid.lastResponse.headers['idempotent-replayed']).toBeUndefined();
    expect(await payment.charged()).toBe(1);
  });

  test('no response, then cancelled: the retry cannot charge', async () => {
    const payment = await prepare('pm_fault_not_charged_no_response');
    await failure(payment.confirm(shortTimeout));
    await stripe.paymentIntents.cancel(payment.id);
    expect((await failure(payment.confirm())).code).toBe('payment_intent_unexpected_state');
    expect(await payment.charged()).toBe(0);
  });

  test('no response to create-and-confirm: not even the intent exists', async () => {
    const metadata = { reference: randomUUID() };
    const create = (client: Stripe, idempotencyKey: string) =>
      client.paymentIntents.create(
        {
          ...CARD_ONLY,
          amount: 500,
          currency: 'usd',
          payment_method: 'pm_fault_not_charged_no_response',
          confirm: true,
          metadata,
        },
        { idempotencyKey },
      );
    const key = randomUUID();
    await failure(create(shortTimeout, key));
    const query = `metadata['reference']:'${metadata.reference}'`;
    expect((await stripe.paymentIntents.search({ query })).data).toEqual([]);
    expect((await create(stripe, key)).status).toBe('succeeded');
  });

  test('error 500: nothing happened, and the key keeps returning 500', async () => {
    const payment = await prepare('pm_fault_not_charged_500');
    expect((await failure(payment.confirm())).statusCode).toBe(500);
    const second = await failure(payment.confirm());
    expect(second.statusCode).toBe(500);
    expect(second.headers?.['idempotent-replayed']).toBe('true');
    expect(await payment.status()).toBe('requires_confirmation');
    expect(await payment.charged()).toBe(0);
  });

  test('rate limited: refused once, and a retry executes', async () => {
    const payment = await prepare('pm_fault_rate_limited');
    const refused = await failure(payment.confirm());
    expect(refused).toBeInstanceOf(Stripe.errors.StripeRateLimitError);
    expect(await payment.charged()).toBe(0);
    expect((await payment.confirm()).status).toBe('succeeded');
    expect(await payment.charged()).toBe(1);
  });
});

test('processing: the payment succeeds after three seconds of sandbox time, and its event is delivered', async () => {
  const payment = await prepare('pm_fault_processing');
  const processing = await payment.confirm();
  expect(processing).toMatchObject({ status: 'processing', amount_received: 0 });
  await receiver.receive(isAbout(payment.id, 'payment_intent.processing'));
  expect(await payment.charged()).toBe(0);
  expect((await failure(stripe.paymentIntents.cancel(payment.id))).code).toBe(
    'payment_intent_unexpected_state',
  );

  await harness.control('/clock', { seconds: 3 });
  const [finished] = await receiver.receive(isAbout(payment.id, 'payment_intent.succeeded'));
  expect(finished?.event.request?.id).toBeNull();
  expect(await payment.status()).toBe('succeeded');
  expect(await payment.charged()).toBe(1);
  expect((await payment.confirm()).status).toBe('processing');
});

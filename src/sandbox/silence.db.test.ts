import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from './index.ts';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness, stripeAt } from './testing/harness.ts';
import { isAbout, openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let receiver: WebhookReceiver;
let harness: Harness;
let stripe: Stripe;
/** For calls that never get a response. */
let shortTimeout: Stripe;
beforeAll(async () => {
  receiver = await openReceiver();
  harness = await openHarness({ webhook: { url: receiver.url, secret: receiver.secret } });
  stripe = harness.stripe;
  shortTimeout = stripeAt(harness.sandbox.url, { timeout: 300 });
});
afterAll(async () => {
  await harness.close();
  await receiver.close();
});

const silence = (reference: string, seconds: number) => harness.control('/silence', { reference, seconds });
const timedOut = async (call: Promise<unknown>) => {
  const lost = await failure(call);
  expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
  expect(lost.message).toContain('timeout');
};

async function prepare(reference: string) {
  const { id } = await stripe.paymentIntents.create({
    ...CARD_ONLY,
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    metadata: { reference },
  });
  const key = { idempotencyKey: randomUUID() };
  return { id, confirm: (client = stripe) => client.paymentIntents.confirm(id, {}, key) };
}

describe('silence about a reference', () => {
  test('charges, sends no response and holds back the webhooks; afterwards the webhooks are delivered', async () => {
    const reference = randomUUID();
    await silence(reference, 60);
    const payment = await prepare(reference);
    await timedOut(payment.confirm(shortTimeout));
    await timedOut(shortTimeout.paymentIntents.retrieve(payment.id));
    const [charge, ...more] = await chargesOf(harness, payment.id);
    expect(charge?.status).toBe('succeeded');
    expect(more).toEqual([]);
    await timedOut(shortTimeout.charges.retrieve(charge?.id ?? ''));
    await timedOut(shortTimeout.refunds.list({ payment_intent: payment.id }));

    // Deliveries are sent in order, so the arrival of a later payment's events proves that none was sent for this one.
    const other = await prepare(randomUUID());
    await other.confirm();
    await receiver.receive(isAbout(other.id, 'payment_intent.succeeded'));
    expect(receiver.received.filter(isAbout(payment.id))).toEqual([]);

    await harness.control('/clock', { seconds: 60 });
    await receiver.receive(isAbout(payment.id, 'payment_intent.succeeded'));
    const replayed = await payment.confirm();
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await chargesOf(harness, payment.id)).toHaveLength(1);
  });

  test('a refund is carried out once without a response', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await payment.confirm();
    await silence(reference, 60);
    const key = { idempotencyKey: randomUUID() };
    await timedOut(shortTimeout.refunds.create({ payment_intent: payment.id }, key));
    await silence(reference, 0);
    const refund = await stripe.refunds.create({ payment_intent: payment.id }, key);
    expect(refund.lastResponse.headers['idempotent-replayed']).toBe('true');
    const { data } = await stripe.refunds.list({ payment_intent: payment.id });
    expect(data).toHaveLength(1);
  });

  test('ends at once when it is set to zero seconds, and the control API reports it', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await silence(reference, 60);
    const silenced = await harness.control<{ seconds: number }>(`/silence?reference=${reference}`);
    expect(silenced.seconds).toBeGreaterThan(50);
    expect(await harness.control('/state')).toMatchObject({
      silences: [{ reference, seconds: expect.any(Number) }],
    });
    await silence(reference, 0);
    expect((await payment.confirm()).status).toBe('succeeded');
    expect(await harness.control(`/silence?reference=${reference}`)).toEqual({ reference, seconds: 0 });
  });

  test('outlives a restart of the sandbox', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await silence(reference, 60);
    const restarted = createSandbox({ ...harness.settings, port: 0 });
    await restarted.listen();
    await timedOut(stripeAt(restarted.url, { timeout: 300 }).paymentIntents.retrieve(payment.id));
    await restarted.close();
    await silence(reference, 0);
  });

  test('is refused without a reference, and for more than ten minutes', async () => {
    await expect(silence('', 5)).rejects.toThrow('400');
    await expect(silence('order-1', 601)).rejects.toThrow('400');
    await expect(silence('order-1', -1)).rejects.toThrow('400');
  });
});

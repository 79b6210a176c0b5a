import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox } from './index.ts';
import { chargesOf, failure, openStand, type Stand, stripeAt } from './testing/harness.ts';
import { isAbout, openReceiver, type WebhookReceiver } from './testing/webhook-receiver.ts';

let receiver: WebhookReceiver;
let stand: Stand;
let stripe: Stripe;
/** Gives up quickly: for calls that are never answered. */
let impatient: Stripe;
beforeAll(async () => {
  receiver = await openReceiver();
  stand = await openStand({ webhook: { url: receiver.url, secret: receiver.secret } });
  stripe = stand.stripe;
  impatient = stripeAt(stand.sandbox.url, { timeout: 300 });
});
afterAll(async () => {
  await stand.close();
  await receiver.close();
});

const silence = (reference: string, seconds: number) => stand.control('/silence', { reference, seconds });
const timedOut = async (call: Promise<unknown>) => {
  const lost = await failure(call);
  expect(lost).toBeInstanceOf(Stripe.errors.StripeConnectionError);
  expect(lost.message).toContain('timeout');
};

async function prepare(reference: string) {
  const { id } = await stripe.paymentIntents.create({
    amount: 1000,
    currency: 'usd',
    payment_method: 'pm_card_visa',
    metadata: { reference },
  });
  const key = { idempotencyKey: randomUUID() };
  return { id, confirm: (client = stripe) => client.paymentIntents.confirm(id, {}, key) };
}

describe('silence about a reference', () => {
  test('charges, answers nothing and keeps the webhooks; afterwards the truth comes by itself', async () => {
    const reference = randomUUID();
    await silence(reference, 60);
    const payment = await prepare(reference);
    await timedOut(payment.confirm(impatient));
    await timedOut(impatient.paymentIntents.retrieve(payment.id));
    const [charge, ...more] = await chargesOf(stand, payment.id);
    expect(charge?.status).toBe('succeeded');
    expect(more).toEqual([]);
    await timedOut(impatient.charges.retrieve(charge?.id ?? ''));
    await timedOut(impatient.refunds.list({ payment_intent: payment.id }));

    // Deliveries leave in order, so a later payment's arrival proves that nothing was sent for this one.
    const other = await prepare(randomUUID());
    await other.confirm();
    await receiver.receive(isAbout(other.id, 'payment_intent.succeeded'));
    expect(receiver.received.filter(isAbout(payment.id))).toEqual([]);

    await stand.control('/clock', { seconds: 60 });
    await receiver.receive(isAbout(payment.id, 'payment_intent.succeeded'));
    const replayed = await payment.confirm();
    expect(replayed.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await chargesOf(stand, payment.id)).toHaveLength(1);
  });

  test('a refund is made in silence, once', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await payment.confirm();
    await silence(reference, 60);
    const key = { idempotencyKey: randomUUID() };
    await timedOut(impatient.refunds.create({ payment_intent: payment.id }, key));
    await silence(reference, 0);
    const refund = await stripe.refunds.create({ payment_intent: payment.id }, key);
    expect(refund.lastResponse.headers['idempotent-replayed']).toBe('true');
    const { data } = await stripe.refunds.list({ payment_intent: payment.id });
    expect(data).toHaveLength(1);
  });

  test('is over at once when it is ended, and is told', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await silence(reference, 60);
    const told = await stand.control<{ seconds: number }>(`/silence?reference=${reference}`);
    expect(told.seconds).toBeGreaterThan(50);
    expect(await stand.control('/state')).toMatchObject({
      silences: [{ reference, seconds: expect.any(Number) }],
    });
    await silence(reference, 0);
    expect((await payment.confirm()).status).toBe('succeeded');
    expect(await stand.control(`/silence?reference=${reference}`)).toEqual({ reference, seconds: 0 });
  });

  test('outlives a restart of the sandbox', async () => {
    const reference = randomUUID();
    const payment = await prepare(reference);
    await silence(reference, 60);
    const restarted = createSandbox({ ...stand.settings, port: 0 });
    await restarted.listen();
    await timedOut(stripeAt(restarted.url, { timeout: 300 }).paymentIntents.retrieve(payment.id));
    await restarted.close();
    await silence(reference, 0);
  });

  test('neither names nobody nor lasts for ever', async () => {
    await expect(silence('', 5)).rejects.toThrow('400');
    await expect(silence('order-1', 601)).rejects.toThrow('400');
    await expect(silence('order-1', -1)).rejects.toThrow('400');
  });
});

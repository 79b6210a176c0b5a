import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CARD_ONLY,
  chargesOf,
  failure,
  type Harness,
  openHarness,
  SECRET_KEY,
  stripeAt,
} from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterAll(() => harness.close());

const params = { ...CARD_ONLY, amount: 4200, currency: 'usd', payment_method: 'pm_card_visa' };

/** Without the SDK, so that the bytes can be compared. */
async function post(path: string, body: string, key?: string): Promise<{ response: Response; text: string }> {
  const response = await fetch(`${harness.sandbox.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${SECRET_KEY}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body,
  });
  return { response, text: await response.text() };
}

describe('a stored key', () => {
  test('replays the first response byte for byte and marks it as replayed', async () => {
    const key = randomUUID();
    const first = await post('/v1/payment_intents', 'amount=4200&currency=usd&metadata[a]=1', key);
    const second = await post('/v1/payment_intents', 'metadata[a]=1&currency=usd&amount=4200', key);
    expect(first.response.headers.get('idempotent-replayed')).toBeNull();
    expect(second.response.headers.get('idempotent-replayed')).toBe('true');
    expect(second.response.headers.get('original-request')).toBe(first.response.headers.get('request-id'));
    expect(second.response.headers.get('request-id')).not.toBe(first.response.headers.get('request-id'));
    expect(second.response.status).toBe(200);
    expect(second.text).toBe(first.text);
  });

  test('replays a confirm without charging again, even after the intent has changed', async () => {
    const intent = await stripe.paymentIntents.create(params);
    const key = randomUUID();
    const paid = await stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key });
    await stripe.refunds.create({ payment_intent: intent.id });
    const again = await stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key });
    expect(again).toEqual(paid);
    expect(again.lastResponse.headers['idempotent-replayed']).toBe('true');
    expect(await chargesOf(harness, intent.id)).toHaveLength(1);
  });

  test('replays a decline, with one failed charge behind it', async () => {
    const intent = await stripe.paymentIntents.create({
      ...CARD_ONLY,
      ...params,
      payment_method: 'pm_card_chargeDeclined',
    });
    const key = randomUUID();
    const declines = [
      await failure(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key })),
      await failure(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key })),
    ];
    expect(declines.map(({ charge }) => charge)).toEqual([declines[0]?.charge, declines[0]?.charge]);
    expect(declines[1]?.headers?.['idempotent-replayed']).toBe('true');
    expect(await chargesOf(harness, intent.id)).toHaveLength(1);
  });

  test('replays an error that execution returned', async () => {
    const intent = await stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'usd' });
    const key = randomUUID();
    const confirm = () => failure(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key }));
    expect((await confirm()).code).toBe('payment_intent_unexpected_state');
    expect((await confirm()).headers?.['idempotent-replayed']).toBe('true');
  });

  test('refuses other parameters without executing or revealing anything', async () => {
    const key = randomUUID();
    const first = await stripe.paymentIntents.create(params, { idempotencyKey: key });
    const refused = await failure(
      stripe.paymentIntents.create({ ...CARD_ONLY, ...params, amount: 9000 }, { idempotencyKey: key }),
    );
    expect(refused).toBeInstanceOf(Stripe.errors.StripeIdempotencyError);
    expect(refused).toMatchObject({ statusCode: 400, rawType: 'idempotency_error' });
    expect(JSON.stringify(refused.raw)).not.toContain(first.id);
    expect((await stripe.paymentIntents.list({ limit: 1 })).data[0]?.id).toBe(first.id);
  });

  test('refuses another endpoint, even with the same parameters', async () => {
    const key = randomUUID();
    const intent = await stripe.paymentIntents.create(params);
    await stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: key });
    const refused = await failure(stripe.paymentIntents.confirm(intent.id, {}, { idempotencyKey: key }));
    expect(refused.rawType).toBe('idempotency_error');
    expect(refused.message).toContain('same endpoint');
  });

  test('expires after 24 hours of sandbox time, not earlier', async () => {
    const key = randomUUID();
    const first = await stripe.paymentIntents.create(params, { idempotencyKey: key });
    await harness.control('/clock', { seconds: 24 * 3600 - 60 });
    expect((await stripe.paymentIntents.create(params, { idempotencyKey: key })).id).toBe(first.id);
    await harness.control('/clock', { seconds: 61 });
    expect((await stripe.paymentIntents.create(params, { idempotencyKey: key })).id).not.toBe(first.id);
  });
});

describe('a key that stores nothing', () => {
  test('is one whose request failed validation', async () => {
    const key = randomUUID();
    await failure(
      stripe.paymentIntents.create({ ...CARD_ONLY, ...params, amount: -1 }, { idempotencyKey: key }),
    );
    const intent = await stripe.paymentIntents.create(params, { idempotencyKey: key });
    expect(intent.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  });

  test('is one whose request was not authenticated', async () => {
    const key = randomUUID();
    const unauthenticated = stripeAt(harness.sandbox.url, { apiKey: 'sk_test_wrong' });
    await failure(unauthenticated.paymentIntents.create(params, { idempotencyKey: key }));
    const intent = await stripe.paymentIntents.create(params, { idempotencyKey: key });
    expect(intent.lastResponse.headers['idempotent-replayed']).toBeUndefined();
  });

  test('is one longer than 255 characters, which is refused', async () => {
    const ok = await stripe.paymentIntents.create(params, { idempotencyKey: 'k'.repeat(255) });
    expect(ok.object).toBe('payment_intent');
    const refused = await failure(stripe.paymentIntents.create(params, { idempotencyKey: 'k'.repeat(256) }));
    expect(refused.statusCode).toBe(400);
  });
});

describe('concurrent requests with one key', () => {
  test('charge once: each response is the first, a replay of it, or a 409', async () => {
    const intent = await stripe.paymentIntents.create(params);
    const key = randomUUID();
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => post(`/v1/payment_intents/${intent.id}/confirm`, '', key)),
    );
    const fresh = responses.filter(
      ({ response }) => response.status === 200 && !response.headers.has('idempotent-replayed'),
    );
    expect(fresh).toHaveLength(1);
    for (const { response, text } of responses) {
      if (response.status === 200) expect(text).toBe(fresh[0]?.text);
      else {
        expect(response.status).toBe(409);
        expect(JSON.parse(text).error.code).toBe('idempotency_key_in_use');
      }
    }
    expect(await chargesOf(harness, intent.id)).toHaveLength(1);
  });
});

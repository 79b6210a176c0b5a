import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness, stripeAt } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterAll(() => harness.close());

const create = (payment_method: string, more: Partial<Stripe.PaymentIntentCreateParams> = {}) =>
  stripe.paymentIntents.create({ ...CARD_ONLY, amount: 1999, currency: 'eur', payment_method, ...more });

describe('the life of an intent', () => {
  test('creating moves no money, confirming charges exactly once', async () => {
    const intent = await create('pm_card_visa', {
      metadata: { operation: 'op_1', reference: 'order-1', paidonce_tenant: 'shop', generation: '1' },
      allowed_payment_method_types: ['card'],
    });
    expect(intent).toMatchObject({
      status: 'requires_confirmation',
      amount: 1999,
      currency: 'eur',
      livemode: false,
    });
    expect(intent.id).toMatch(/^pi_\w{24}$/);
    expect(intent.client_secret).toMatch(new RegExp(`^${intent.id}_secret_`));
    expect(intent.metadata).toEqual({
      operation: 'op_1',
      reference: 'order-1',
      paidonce_tenant: 'shop',
      generation: '1',
    });
    expect(await chargesOf(harness, intent.id)).toEqual([]);

    const paid = await stripe.paymentIntents.confirm(intent.id, { return_url: 'https://shop.test/back' });
    expect(paid).toMatchObject({ status: 'succeeded', amount_received: 1999, last_payment_error: null });
    const charges = await chargesOf(harness, intent.id);
    expect(charges).toEqual([
      expect.objectContaining({ id: paid.latest_charge, status: 'succeeded', amount: 1999, currency: 'eur' }),
    ]);
    expect(await stripe.paymentIntents.retrieve(intent.id)).toEqual(paid);
  });

  test('confirm=true creates and charges in one call', async () => {
    const paid = await create('pm_card_mastercard', {
      confirm: true,
      automatic_payment_methods: { enabled: true },
      return_url: 'https://shop.test/back',
    });
    expect(paid).toMatchObject({ status: 'succeeded', automatic_payment_methods: { enabled: true } });
    expect(await chargesOf(harness, paid.id)).toHaveLength(1);
  });

  test('an intent without a card waits for one, and takes it at confirm', async () => {
    const intent = await stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'jpy' });
    expect(intent.status).toBe('requires_payment_method');
    const refused = await failure(stripe.paymentIntents.confirm(intent.id));
    expect(refused).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
    const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
    expect(paid.status).toBe('succeeded');
  });

  test('a second confirm is refused, and the error holds the intent that succeeded', async () => {
    const paid = await create('pm_card_visa', { confirm: true });
    const refused = await failure(stripe.paymentIntents.confirm(paid.id));
    expect(refused).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(refused).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
    expect(refused.payment_intent).toMatchObject({ id: paid.id, status: 'succeeded' });
  });

  test('of many concurrent confirms with different keys one charges', async () => {
    const intent = await create('pm_card_visa');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => stripe.paymentIntents.confirm(intent.id)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await chargesOf(harness, intent.id)).toHaveLength(1);
  });

  test('latest_charge is inlined when expanded', async () => {
    const paid = await create('pm_card_visa', { confirm: true, expand: ['latest_charge'] });
    expect(paid.latest_charge).toMatchObject({ object: 'charge', paid: true, payment_intent: paid.id });
    const read = await stripe.paymentIntents.retrieve(paid.id, { expand: ['latest_charge'] });
    expect(read).toEqual(paid);
  });
});

describe('cancelling', () => {
  test('a cancelled intent can never be charged', async () => {
    const intent = await create('pm_card_visa');
    const canceled = await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: 'abandoned' });
    expect(canceled).toMatchObject({ status: 'canceled', cancellation_reason: 'abandoned' });
    expect(canceled.canceled_at).toBeTypeOf('number');
    const refused = await failure(stripe.paymentIntents.confirm(intent.id));
    expect(refused.code).toBe('payment_intent_unexpected_state');
    expect(await chargesOf(harness, intent.id)).toEqual([]);
  });

  test('cancelling a succeeded intent is refused, and the error holds the intent', async () => {
    const paid = await create('pm_card_visa', { confirm: true });
    const refused = await failure(stripe.paymentIntents.cancel(paid.id));
    expect(refused).toMatchObject({ statusCode: 400, code: 'payment_intent_unexpected_state' });
    expect(refused.payment_intent).toMatchObject({ status: 'succeeded', latest_charge: paid.latest_charge });
  });

  test('a confirm racing a cancel ends in exactly one of the two', async () => {
    for (let round = 0; round < 5; round += 1) {
      const intent = await create('pm_card_visa');
      const outcomes = await Promise.allSettled([
        stripe.paymentIntents.confirm(intent.id),
        stripe.paymentIntents.cancel(intent.id),
      ]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { status } = await stripe.paymentIntents.retrieve(intent.id);
      expect(await chargesOf(harness, intent.id)).toHaveLength(status === 'succeeded' ? 1 : 0);
    }
  });
});

describe('declines', () => {
  test.each([
    ['pm_card_visa_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_chargeDeclined', 'card_declined', 'generic_decline'],
    ['pm_card_visa_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_chargeDeclinedInsufficientFunds', 'card_declined', 'insufficient_funds'],
    ['pm_card_visa_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedExpiredCard', 'expired_card', 'expired_card'],
    ['pm_card_chargeDeclinedIncorrectCvc', 'incorrect_cvc', 'incorrect_cvc'],
    ['pm_card_chargeDeclinedProcessingError', 'processing_error', 'processing_error'],
  ])(
    '%s is a card error, leaves a failed charge and asks for another card',
    async (card, code, decline_code) => {
      const intent = await create(card);
      const declined = await failure(stripe.paymentIntents.confirm(intent.id));
      expect(declined).toBeInstanceOf(Stripe.errors.StripeCardError);
      expect(declined).toMatchObject({ statusCode: 402, code, decline_code });
      expect(declined.payment_intent).toMatchObject({ id: intent.id, status: 'requires_payment_method' });

      const after = await stripe.paymentIntents.retrieve(intent.id);
      expect(after).toMatchObject({
        status: 'requires_payment_method',
        payment_method: null,
        amount_received: 0,
      });
      expect(after.last_payment_error).toMatchObject({
        type: 'card_error',
        code,
        decline_code,
        charge: declined.charge,
      });
      expect(after.latest_charge).toBe(declined.charge);
      expect(await chargesOf(harness, intent.id)).toEqual([expect.objectContaining({ status: 'failed' })]);

      const paid = await stripe.paymentIntents.confirm(intent.id, { payment_method: 'pm_card_visa' });
      expect(paid).toMatchObject({ status: 'succeeded', last_payment_error: null });
    },
  );
});

describe('refused requests', () => {
  test.each<[string, Record<string, unknown>, string | undefined, string]>([
    ['no amount', { currency: 'eur' }, 'parameter_missing', 'amount'],
    ['a fraction', { amount: 10.5, currency: 'eur' }, 'parameter_invalid_integer', 'amount'],
    ['zero', { amount: 0, currency: 'eur' }, 'parameter_invalid_integer', 'amount'],
    ['a negative amount', { amount: -5, currency: 'eur' }, 'parameter_invalid_integer', 'amount'],
    ['an unknown currency', { amount: 500, currency: 'xxz' }, undefined, 'currency'],
    [
      'manual capture',
      { amount: 500, currency: 'eur', capture_method: 'manual' },
      undefined,
      'capture_method',
    ],
    ['an unknown parameter', { amount: 500, currency: 'eur', colour: 'red' }, 'parameter_unknown', 'colour'],
    [
      'an unknown card',
      { amount: 500, currency: 'eur', payment_method: 'pm_x' },
      'resource_missing',
      'payment_method',
    ],
  ])('%s is a 400 that names the parameter', async (_name, parameters, code, param) => {
    const refused = await failure(stripe.paymentIntents.create(parameters as never));
    expect(refused).toBeInstanceOf(Stripe.errors.StripeInvalidRequestError);
    expect(refused).toMatchObject({ statusCode: 400, param, code });
  });

  test('payment_method_types is known to the versions that had it, and to no later one', async () => {
    const parameters = { amount: 500, currency: 'eur', payment_method_types: ['card'] } as never;
    const old = await stripe.paymentIntents.create(parameters, { apiVersion: '2025-03-31.basil' });
    expect(old).toMatchObject({ payment_method_types: ['card'], automatic_payment_methods: null });
    expect(await failure(stripe.paymentIntents.create(parameters))).toMatchObject({
      code: 'parameter_unknown',
    });
  });

  test('an unknown intent is a 404', async () => {
    for (const call of ['retrieve', 'confirm', 'cancel'] as const) {
      const refused = await failure(stripe.paymentIntents[call]('pi_nowhere'));
      expect(refused).toMatchObject({ statusCode: 404, code: 'resource_missing' });
    }
  });

  test('text that PostgreSQL cannot store is a 400, not a 500', async () => {
    const refused = await failure(
      stripe.paymentIntents.create({ ...CARD_ONLY, amount: 500, currency: 'eur', description: 'a\0b' }),
    );
    expect(refused).toMatchObject({ statusCode: 400, code: 'invalid_characters' });
    expect(await failure(stripe.paymentIntents.retrieve('pi_\0'))).toMatchObject({ statusCode: 400 });
  });

  test('a JSON body is refused', async () => {
    const response = await fetch(`${harness.sandbox.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.settings.secretKey}`, 'content-type': 'application/json' },
      body: '{"amount":"5","currency":"eur"}',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });

  test('an unknown URL is a 404 with a Stripe error', async () => {
    const refused = await failure(stripe.customers.retrieve('cus_1') as Promise<unknown>);
    expect(refused).toMatchObject({ statusCode: 404, rawType: 'invalid_request_error' });
    expect(refused.requestId).toMatch(/^req_/);
  });

  test('a wrong key is a 401 whose message does not repeat it', async () => {
    const wrongKey = stripeAt(harness.sandbox.url, { apiKey: 'sk_test_wrong00000000000000000' });
    const refused = await failure(wrongKey.paymentIntents.list());
    expect(refused).toBeInstanceOf(Stripe.errors.StripeAuthenticationError);
    expect(refused).toMatchObject({ statusCode: 401, rawType: 'invalid_request_error' });
    expect(refused.message).not.toContain('sk_test_wrong00000000000000000');
  });

  test('the key is also accepted as the user name of Basic authentication', async () => {
    const authorization = `Basic ${Buffer.from(`${harness.settings.secretKey}:`).toString('base64')}`;
    const response = await fetch(`${harness.sandbox.url}/v1/balance`, { headers: { authorization } });
    expect(response.status).toBe(200);
  });
});

test('every response has a request id and echoes the version of the request', async () => {
  const intent = await stripe.paymentIntents.create(
    { ...CARD_ONLY, amount: 500, currency: 'eur' },
    { apiVersion: '2024-06-20' },
  );
  expect(intent.lastResponse.requestId).toMatch(/^req_\w{14}$/);
  expect(intent.lastResponse.headers['stripe-version']).toBe('2024-06-20');
});

import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { creation, UNSUPPORTED_AT_CONFIRM, UNSUPPORTED_AT_CREATE } from './payments/intent-parameters.ts';
import { CARD_ONLY, chargesOf, failure, type Harness, openHarness, SECRET_KEY } from './testing/harness.ts';

let harness: Harness;
let stripe: Stripe;
beforeAll(async () => {
  harness = await openHarness();
  stripe = harness.stripe;
});
afterAll(() => harness.close());

const payment = { amount: 1000, currency: 'usd', payment_method: 'pm_card_visa' };
const create = (parameters: Record<string, unknown>) =>
  stripe.paymentIntents.create({ ...payment, ...parameters } as never);

describe('return_url', () => {
  test('is required at confirm when automatic payment methods may redirect, and nothing is charged without it', async () => {
    const intent = await create({});
    for (const call of [
      () => stripe.paymentIntents.confirm(intent.id),
      () => create({ confirm: true }),
      () => create({ confirm: true, automatic_payment_methods: { enabled: true } }),
    ]) {
      const refused = await failure(call());
      expect(refused).toMatchObject({ statusCode: 400, rawType: 'invalid_request_error' });
      expect(refused.message).toContain('you must provide a `return_url`');
    }
    expect(await chargesOf(harness, intent.id)).toEqual([]);
    const paid = await stripe.paymentIntents.confirm(intent.id, { return_url: 'https://shop.test/back' });
    expect(paid.status).toBe('succeeded');
  });

  test('is not required when redirects are not allowed, or when the types are named', async () => {
    const cardOnly = await create(CARD_ONLY);
    expect((await stripe.paymentIntents.confirm(cardOnly.id)).status).toBe('succeeded');
    const typed = await stripe.paymentIntents.create(
      { ...payment, payment_method_types: ['card'], confirm: true } as never,
      { apiVersion: '2025-03-31.basil' },
    );
    expect(typed.status).toBe('succeeded');
  });

  test('is refused at creation without confirm', async () => {
    const refused = await failure(create({ return_url: 'https://shop.test/back' }));
    expect(refused).toMatchObject({
      statusCode: 400,
      param: 'return_url',
      code: 'payment_intent_invalid_parameter',
      message:
        'The parameter `return_url` cannot be passed when creating a PaymentIntent unless `confirm` is set to true.',
    });
  });

  test.each(['shop.test/back', 'not a url', 'http://'])(
    'is refused when it is not a URL: %s',
    async (url) => {
      const refused = await failure(create({ confirm: true, return_url: url }));
      expect(refused).toMatchObject({ statusCode: 400, param: 'return_url', code: 'url_invalid' });
    },
  );
});

describe('values that are refused, in the words and with the code of Stripe', () => {
  const empty = (name: string) =>
    `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset. You should remove '${name}' from your request or supply a non-empty value.`;

  test.each<[string, Record<string, unknown>, string | undefined, string, string]>([
    [
      'a missing one',
      { amount: undefined },
      'parameter_missing',
      'amount',
      'Missing required param: amount.',
    ],
    ['an empty text', { description: '' }, 'parameter_invalid_empty', 'description', empty('description')],
    ['an empty amount', { amount: '' }, 'parameter_invalid_empty', 'amount', empty('amount')],
    ['an empty flag', { confirm: '' }, 'parameter_invalid_empty', 'confirm', empty('confirm')],
    [
      'an empty choice',
      { capture_method: '' },
      'parameter_invalid_empty',
      'capture_method',
      empty('capture_method'),
    ],
    ['a text for a list', { expand: 'latest_charge' }, undefined, 'expand', 'Invalid array'],
    ['a text for an object', { metadata: 'x' }, undefined, 'metadata', 'Invalid object'],
    [
      'an object for a text',
      { description: { a: 'b' } },
      undefined,
      'description',
      'Invalid string: {"a":"b"}',
    ],
    [
      'an object for a metadata value',
      { metadata: { a: { b: 'c' } } },
      undefined,
      'metadata[a]',
      'Invalid string: {"b":"c"}',
    ],
    ['no integer', { amount: '10.5' }, 'parameter_invalid_integer', 'amount', 'Invalid integer: 10.5'],
    [
      'a negative amount',
      { amount: -1 },
      'parameter_invalid_integer',
      'amount',
      'This value must be greater than or equal to 1.',
    ],
    ['too little', { amount: 49 }, 'amount_too_small', 'amount', 'Amount must be at least $0.50 usd'],
    [
      'too much',
      { amount: 100_000_000 },
      'amount_too_large',
      'amount',
      'Amount must be no more than $999,999.99',
    ],
    [
      'no flag',
      { automatic_payment_methods: { enabled: 'maybe' } },
      undefined,
      'automatic_payment_methods[enabled]',
      'Invalid boolean: maybe',
    ],
    [
      'another choice',
      { automatic_payment_methods: { enabled: true, allow_redirects: 'sometimes' } },
      undefined,
      'automatic_payment_methods[allow_redirects]',
      'Invalid automatic_payment_methods[allow_redirects]: must be one of always or never',
    ],
    [
      'a text that is too long',
      { statement_descriptor_suffix: 'x'.repeat(23) },
      undefined,
      'statement_descriptor_suffix',
      'Invalid string: xxxxxxxxxx...xxxxxxxxxx; must be at most 22 characters',
    ],
    [
      'a metadata value that is too long',
      { metadata: { a: 'x'.repeat(501) } },
      undefined,
      'metadata',
      `Metadata values can have up to 500 characters, but you passed in a value that is 501 characters. Invalid value: ${'x'.repeat(501)}`,
    ],
    [
      'a malformed e-mail address',
      { receipt_email: 'jane' },
      'email_invalid',
      'receipt_email',
      'Invalid email address: jane',
    ],
    [
      'a description that is too long',
      { description: 'x'.repeat(1001) },
      undefined,
      'description',
      'Invalid string: xxxxxxxxxx...xxxxxxxxxx; must be at most 1000 characters',
    ],
    [
      'an unknown parameter',
      { colour: 'red' },
      'parameter_unknown',
      'colour',
      'Received unknown parameter: colour',
    ],
    [
      'two unknown parameters',
      { colour: 'red', size: 'xl' },
      'parameter_unknown',
      'colour',
      'Received unknown parameters: colour, size',
    ],
    [
      'an unknown field of an object',
      { automatic_payment_methods: { enabled: true, colour: 'red' } },
      'parameter_unknown',
      'automatic_payment_methods[colour]',
      'Received unknown parameter: automatic_payment_methods[colour]',
    ],
  ])('%s', async (_name, parameters, code, param, message) => {
    const refused = await failure(create(parameters));
    expect(refused).toMatchObject({ statusCode: 400, message, param, code });
    const { doc_url } = refused as { doc_url?: string };
    expect(doc_url).toBe(code && `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`);
  });

  test.each(Object.keys(creation.shape))(
    '%s of any wrong shape: never the words of our parser',
    async (name) => {
      const parsers =
        /: expected |, received |unrecognized|^too (small|big)|^invalid (input|option|key in)|pattern/i;
      const messages: string[] = [];
      for (const value of [
        '',
        '?',
        '-1',
        'x'.repeat(6_000),
        { a: 'b' },
        { enabled: { a: 'b' } },
        ['?'],
        [['?']],
      ]) {
        await create({ [name]: value }).catch(({ message }: Error) => messages.push(message));
      }
      expect(messages.length).toBeGreaterThan(1);
      expect(messages.filter((message) => parsers.test(message))).toEqual([]);
    },
  );

  test.each([
    ['the statement descriptor of a card payment', { statement_descriptor: 'SHOP' }, 'statement_descriptor'],
    [
      'a descriptor that banks cannot print',
      { statement_descriptor_suffix: '<a>' },
      'statement_descriptor_suffix',
    ],
    [
      'a descriptor without a letter',
      { statement_descriptor_suffix: '12345' },
      'statement_descriptor_suffix',
    ],
    ['brackets in a metadata key', { metadata: { 'a[b]': 'x' } }, 'metadata'],
  ])('%s', async (_name, parameters, param) => {
    expect(await failure(create(parameters))).toMatchObject({ statusCode: 400, param });
  });

  test('the client secret of another intent', async () => {
    const [one, two] = [await create({}), await create({})];
    const secret = one.client_secret as string;
    expect(await stripe.paymentIntents.retrieve(one.id, { client_secret: secret })).toEqual(one);
    expect(await failure(stripe.paymentIntents.retrieve(two.id, { client_secret: secret }))).toMatchObject({
      statusCode: 400,
      param: 'client_secret',
    });
  });

  test('a refund of an intent that does not exist names its parameter', async () => {
    const refused = await failure(stripe.refunds.create({ payment_intent: 'pi_nowhere' }));
    expect(refused).toMatchObject({ statusCode: 404, code: 'resource_missing', param: 'payment_intent' });
  });

  test('an unknown currency, with the list of those that can be charged', async () => {
    const refused = await failure(create({ currency: 'xxz' }));
    expect(refused).toMatchObject({ statusCode: 400, param: 'currency' });
    expect(refused.message).toMatch(
      /^Invalid currency: xxz\. Stripe currently supports these currencies: usd, aed,/,
    );
  });

  test('a list with gaps', async () => {
    const response = await fetch(`${harness.sandbox.url}/v1/payment_intents?expand[1]=data.latest_charge`, {
      headers: { authorization: `Bearer ${harness.settings.secretKey}` },
    });
    expect(await response.json()).toMatchObject({
      error: { param: 'expand', message: expect.stringContaining('sequential starting from 0') },
    });
  });

  test('a time that is none, alone and in a range', async () => {
    for (const [created, param] of [
      ['yesterday', 'created'],
      [{ gt: 'yesterday' }, 'created[gt]'],
    ] as const) {
      const refused = await failure(stripe.paymentIntents.list({ created: created as never }));
      expect(refused).toMatchObject({
        code: 'parameter_invalid_integer',
        message: 'Invalid integer: yesterday',
        param,
      });
    }
  });

  test('an unknown API version', async () => {
    const refused = await failure(stripe.balance.retrieve({}, { apiVersion: 'tomorrow' }));
    expect(refused).toMatchObject({ statusCode: 400, message: 'Invalid Stripe API version: tomorrow' });
  });
});

test.each(['Stripe-Account', 'Stripe-Context'])(
  'another account than its own is refused, and nothing is done for it: %s',
  async (header) => {
    const before = (await stripe.paymentIntents.list({ limit: 100 })).data.length;
    const options = header === 'Stripe-Account' ? { stripeAccount: 'acct_1' } : { stripeContext: 'acct_1' };
    const refused = await failure(stripe.paymentIntents.create(payment, options));
    expect(refused).toMatchObject({
      statusCode: 403,
      type: 'StripePermissionError',
      code: 'account_invalid',
    });
    expect(refused.message).toContain("does not have access to account 'acct_1'");
    expect((await stripe.paymentIntents.list({ limit: 100 })).data).toHaveLength(before);
  },
);

test('an empty id is an address that does not exist', async () => {
  const response = await fetch(`${harness.sandbox.url}/v1/payment_intents/`, {
    headers: { authorization: `Bearer ${SECRET_KEY}` },
  });
  expect([response.status, await response.json()]).toMatchObject([
    404,
    { error: { message: expect.stringContaining('Unrecognized request URL (GET: /v1/payment_intents/)') } },
  ]);
});

test('every error leads to its request in the log, a decline too, and a 401 to none', async () => {
  const declined = await failure(
    create({ ...CARD_ONLY, confirm: true, payment_method: 'pm_card_chargeDeclined' }),
  );
  const invalid = await failure(create({ amount: 1 }));
  for (const error of [declined, invalid]) {
    const { request_log_url } = error.raw as { request_log_url: string };
    expect(request_log_url).toMatch(
      new RegExp(`^https://dashboard\\.stripe\\.com/test/logs/${error.requestId}\\?t=\\d+$`),
    );
  }
  const stranger = new Stripe('sk_test_wrong', {
    protocol: 'http',
    host: '127.0.0.1',
    port: new URL(harness.sandbox.url).port,
  });
  expect((await failure(stranger.balance.retrieve())).raw).not.toHaveProperty('request_log_url');
});

test('a list with both cursors is refused', async () => {
  const refused = await failure(
    stripe.paymentIntents.list({ starting_after: 'pi_1', ending_before: 'pi_2' }),
  );
  expect(refused).toMatchObject({
    statusCode: 400,
    message: 'Received both starting_after and ending_before parameters. Please pass in only one.',
  });
});

describe('what Stripe has and the sandbox has not is refused by its name', () => {
  test.each(UNSUPPORTED_AT_CREATE)('at creation: %s', async (name) => {
    const refused = await failure(create({ [name]: 'x' }));
    expect(refused).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param: name });
    expect(refused.message).toMatch(/^The sandbox does not support the parameter/);
  });

  test.each(UNSUPPORTED_AT_CONFIRM)('at confirmation: %s', async (name) => {
    const refused = await failure(stripe.paymentIntents.confirm('pi_1', { [name]: 'x' } as never));
    expect(refused).toMatchObject({ statusCode: 400, code: 'parameter_unknown', param: name });
    expect(refused.message).toMatch(/^The sandbox does not support the parameter/);
  });

  test.each([
    ['manual capture', { capture_method: 'manual' }, 'capture_method'],
    ['manual confirmation', { confirmation_method: 'manual' }, 'confirmation_method'],
    [
      'other types of payment',
      { allowed_payment_method_types: ['sepa_debit'] },
      'allowed_payment_method_types[0]',
    ],
  ])('%s', async (_name, parameters, param) => {
    expect(await failure(create(parameters))).toMatchObject({ statusCode: 400, param });
  });
});

test('error_on_requires_action declines a card that needs authentication', async () => {
  const intent = await create({ ...CARD_ONLY, payment_method: 'pm_card_threeDSecure2Required' });
  const declined = await failure(
    stripe.paymentIntents.confirm(intent.id, { error_on_requires_action: true }),
  );
  expect(declined).toMatchObject({
    statusCode: 402,
    code: 'authentication_required',
    payment_intent: { status: 'requires_payment_method' },
  });
});

import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderResult } from '../provider.ts';
import { openRawProvider, type RawProvider, response, returnUrl } from '../testing/raw-provider.ts';
import { createStripeProvider } from './provider.ts';

// Responses that came whole and in time, and are not what was asked for. What the SDK makes of them is part of what is tested.
// Most come at once. The SDK leaves some without a result, for which the deadline is waited.
const patientMs = 20_000;
const deadlineMs = 300;

let raw: RawProvider;
beforeAll(async () => {
  raw = await openRawProvider();
});
beforeEach(() => {
  raw.requests.length = 0;
});
afterAll(() => raw.close());

const provider = (timeoutMs = patientMs) =>
  createStripeProvider({ secretKey: 'sk_test_x', baseUrl: raw.url, timeoutMs, returnUrl });
const invalid = { kind: 'ambiguous', code: 'provider_response_invalid' } as const;

const metadata = { operation: 'op', generation: '2', reference: 'invoice-1', payment_method: 'pm_card_visa' };
const intent = (status: string, more: object = {}) => ({
  ...{ id: 'pi_1', object: 'payment_intent', status, latest_charge: 'ch_1', last_payment_error: null },
  ...{ amount: 1200, amount_received: status === 'succeeded' ? 1200 : 0, currency: 'usd', metadata },
  ...{ created: 1_763_251_200, ...more },
});
const failure = (type: string, more: object = {}) => ({
  error: { type, message: 'It is said why.', ...more },
});
const declined = { code: 'card_declined', decline_code: 'insufficient_funds' };

type Row = [what: string, respond: (socket: Socket) => void, result: ProviderResult];

const rows: Row[] = [
  // The SDK takes every object that has no "error" in it for what was asked for, also with the status of a failure.
  ...(
    [
      ['a text', '"ok"'],
      ['a number', '5'],
      ['a truth', 'true'],
    ] as const
  ).map(
    ([what, body]): Row => [
      `200 with ${what}, on which the SDK would fail without an answer`,
      (socket) => socket.write(response(200, body)),
      { kind: 'ambiguous', code: 'provider_no_response' },
    ],
  ),
  ...(
    [
      ['null', 200, 'null'],
      ['a list', 200, '[]'],
      ['an error', 200, failure('invalid_request_error', { code: 'parameter_missing' })],
      ['an intent', 503, intent('succeeded')],
      ['an intent', 302, intent('succeeded')],
      ['the error of a gateway', 404, { message: 'no route matched' }],
      ['the error of a gateway', 403, { error: 'forbidden' }],
    ] as const
  ).map(
    ([what, status, body]): Row => [
      `${status} with ${what}`,
      (socket) => socket.write(response(status, body)),
      { kind: 'ambiguous', code: 'provider_no_response' },
    ],
  ),
  ...(
    [
      ['another intent', { id: 'pi_2' }],
      ['the intent of another operation', { metadata: { ...metadata, operation: 'other' } }],
      ['no id', { id: undefined }],
      ['an id that no database stores', { id: 'pi_1\0' }],
      ['another object', { object: 'refund' }],
      ['no amount', { amount_received: undefined }],
      ['an amount as text', { amount_received: '1200' }],
      ['half a cent', { amount_received: 1200.5 }],
      ['a charge without an id', { latest_charge: {} }],
      ['metadata that is none', { metadata: 'op' }],
      ['a decline that is none', { status: 'requires_payment_method', last_payment_error: 'declined' }],
    ] as const
  ).flatMap(([what, more]): Row[] => [
    [`200 with ${what}`, (socket) => socket.write(response(200, intent('succeeded', more))), invalid],
    [
      `402 with ${what}`,
      (socket) =>
        socket.write(
          response(402, failure('card_error', { ...declined, payment_intent: intent('succeeded', more) })),
        ),
      invalid,
    ],
  ]),
  [
    '402 with the id of an intent instead of it',
    (socket) =>
      socket.write(response(402, failure('card_error', { code: 'card_declined', payment_intent: 'pi_1' }))),
    invalid,
  ],
  ...[{ a: 1 }, 'no\0', 'x'.repeat(300), ''].map(
    (code): Row => [
      `400 whose code is none: ${JSON.stringify(code).slice(0, 20)}`,
      (socket) => socket.write(response(400, failure('invalid_request_error', { code }))),
      { kind: 'rejected', code: 'StripeInvalidRequestError' },
    ],
  ),
];

describe('what is not about the intent that is confirmed is no evidence', () => {
  test.each(rows)('%s', async (_, respond, result) => {
    raw.respond = respond;
    const of = { operationId: 'op', tenantId: 't', generation: 2 };
    const isAwaited = result.kind === 'ambiguous' && result.code === 'provider_no_response';
    expect(await provider(isAwaited ? deadlineMs : patientMs).confirmIntent('pi_1', of)).toEqual(result);
    expect(raw.requests).toEqual(['POST /v1/payment_intents/pi_1/confirm HTTP/1.1']);
  });
});

test.each<[string, object]>([
  ['canceled', { amount_received: 1200 }],
  ['canceled', { amount_received: 1 }],
  ['requires_payment_method', { amount_received: 1200, last_payment_error: declined }],
  ['requires_confirmation', { amount_received: 1200 }],
  ['canceled', { latest_charge: { id: 'ch_1', status: 'succeeded' } }],
  ['canceled', { latest_charge: { id: 'ch_1', status: 'pending' } }],
  [
    'requires_payment_method',
    { latest_charge: { id: 'ch_1', status: 'succeeded' }, last_payment_error: declined },
  ],
  ['requires_action', { latest_charge: { id: 'ch_1', status: 'succeeded' } }],
  ['succeeded', { latest_charge: { id: 'ch_1', status: 'failed' } }],
  ['succeeded', { latest_charge: { id: 'ch_1', status: 'pending' } }],
  ['succeeded', { latest_charge: { id: 'ch_1', status: 'succeeded', captured: false } }],
])(
  'an intent that is %s and contradicts itself, %j, is neither paid nor free to be paid again',
  async (status, more) => {
    raw.respond = (socket) => socket.write(response(200, intent(status, more)));
    expect(await provider().retrieveIntent('pi_1')).toMatchObject({ intent: { state: 'other' } });
  },
);

test.each([0, 'yesterday', 1e20, -1e20])('a time that is none, %s, is left out', async (created) => {
  raw.respond = (socket) => socket.write(response(200, intent('succeeded', { created })));
  expect(await provider().retrieveIntent('pi_1')).toMatchObject({ intent: { createdAt: undefined } });
});

test.each([
  ['names of characters in plain text stay as they are', String.raw`a\u0000 \ud83d \\ude00`, undefined],
  [
    'half a pair after the name of its other half is replaced',
    `${String.raw`\ud83d`}\ude00`,
    `${String.raw`\ud83d`}\ufffd`,
  ],
])(
  'what PostgreSQL cannot store is replaced, and nothing else: %s',
  async (_, reference, read = reference) => {
    raw.respond = (socket) => socket.write(response(200, intent('succeeded', { metadata: { reference } })));
    expect(await provider().retrieveIntent('pi_1')).toMatchObject({ intent: { reference: read } });
  },
);

test('a decline whose code no database stores is a decline without one', async () => {
  const error = { decline_code: 'no\0' };
  raw.respond = (socket) =>
    socket.write(response(200, intent('requires_payment_method', { last_payment_error: error })));
  expect(await provider().retrieveIntent('pi_1')).toMatchObject({
    intent: { state: 'declined', declineCode: 'declined' },
  });
});

describe('what is created is what was asked for, or its outcome is not known', () => {
  const of = { operationId: 'op', tenantId: 't', generation: 2, reference: 'invoice-1' };

  test.each<[string, object, string]>([
    ['it', {}, 'responded'],
    ['another amount', { amount: 120_000 }, 'ambiguous'],
    ['another currency', { currency: 'kwd' }, 'ambiguous'],
    ['another operation', { metadata: { ...metadata, operation: 'other' } }, 'ambiguous'],
    ['an earlier generation', { metadata: { ...metadata, generation: '1' } }, 'ambiguous'],
    ['no metadata', { metadata: null }, 'ambiguous'],
  ])('an intent: %s', async (_, more, kind) => {
    raw.respond = (socket) =>
      socket.write(response(200, intent('requires_confirmation', { metadata, ...more })));
    const money = { amountMinor: 1200, currency: 'usd' } as const;
    const created = await provider().createIntent({ ...of, ...money, paymentMethod: 'pm_card_visa' });
    if (kind === 'ambiguous') expect(created).toEqual(invalid);
    else expect(created.kind).toBe(kind);
  });

  const refund = (more: object = {}) => ({
    ...{ id: 're_1', object: 'refund', status: 'succeeded', amount: 500, currency: 'usd', metadata },
    ...{ payment_intent: 'pi_1', ...more },
  });
  test.each<[string, object, string]>([
    ['it', {}, 'responded'],
    ['of another payment', { payment_intent: 'pi_2' }, 'ambiguous'],
    ['of another operation', { metadata: { ...metadata, operation: 'other' } }, 'ambiguous'],
    ['without an id', { id: null }, 'ambiguous'],
    ['of an amount as text', { amount: '500' }, 'ambiguous'],
    ['that is an intent', { object: 'payment_intent' }, 'ambiguous'],
  ])('a refund: %s', async (_, more, kind) => {
    raw.respond = (socket) => socket.write(response(200, refund(more)));
    const created = await provider().createRefund({ ...of, intentId: 'pi_1', amountMinor: 500 });
    if (kind === 'ambiguous') expect(created).toEqual(invalid);
    else expect(created.kind).toBe(kind);
  });

  const page = (data: object[], has_more = true) => response(200, { object: 'list', data, has_more });
  const other = refund({ metadata: null });
  test.each<[string, (request: number) => string]>([
    ['the same page', () => page([other])],
    ['an empty page', () => page([])],
    ['two pages in turns', (request) => page([{ ...other, id: `re_${request % 2}` }])],
    ['new pages for ever', (request) => page([{ ...other, id: `re_${request}` }])],
    ['no list', () => response(200, { object: 'list', data: 5, has_more: false })],
    ['a refund without a name', () => page([{ metadata: { operation: 'op' } }], false)],
    ['its refund, of another payment', () => page([refund({ payment_intent: 'pi_2' })], false)],
    ['other refunds of another payment', () => page([{ ...other, payment_intent: 'pi_2' }], false)],
  ])('a search for a refund ends, although the provider always lists %s', async (_, respond) => {
    raw.respond = (socket) => socket.write(respond(raw.requests.length));
    const found = await provider(deadlineMs).findRefund({
      operationId: 'op',
      tenantId: 't',
      intentId: 'pi_1',
    });
    expect(found).toMatchObject({ kind: 'ambiguous' });
  });

  test.each<[string, object[], boolean]>([
    ['an empty page before others', [], true],
    [
      'an intent of ours that cannot be read',
      [{ ...intent('succeeded'), metadata: ours(), amount: 'x' }],
      false,
    ],
    ['what is neither an intent nor a refund', [{ id: 'x_1', object: 'x', metadata: ours() }], false],
  ])('nothing counts as compared with a list that has %s', async (_, data, more) => {
    raw.respond = (socket) => socket.write(page(data, more));
    const since = new Date(0);
    const listed = await provider().listCreated({ object: 'payment_intent', since, after: undefined });
    expect(listed).toEqual(invalid);
  });

  test('no event counts as read from a list that does not go on', async () => {
    raw.respond = (socket) => socket.write(page([]));
    expect(await provider().listEvents({ since: new Date(0), after: undefined })).toEqual(invalid);
  });

  test.each(['99999999999', '-1', '1e3', 'NaN', '', '0'])(
    'a generation that is none, %j, is the first one',
    async (generation) => {
      const object = { ...intent('succeeded'), metadata: { ...ours(), generation } };
      raw.respond = (socket) => socket.write(page([object], false));
      const since = new Date(0);
      const listed = await provider().listCreated({ object: 'payment_intent', since, after: undefined });
      expect(listed).toMatchObject({ listed: [{ intent: { generation: 1 } }] });
    },
  );

  const wanted = { tenantId: 't', reference: 'invoice-1', intentIds: [] };

  test('a search that finds more than it was asked for does not become as many requests', async () => {
    const many = Array.from({ length: 101 }, (_, n) => ({ id: `pi_${n}`, object: 'payment_intent' }));
    raw.respond = (socket) => socket.write(raw.requests.length === 1 ? page(many, false) : page([], false));
    expect(await provider().findCharges(wanted)).toEqual(invalid);
    expect(raw.requests).toHaveLength(1);
  });

  const found = { id: 'pi_1', metadata: { reference: 'invoice-1', paidonce_tenant: 't' } };
  const charge = {
    ...{ id: 'ch_1', payment_intent: 'pi_1', status: 'succeeded', amount: 500, amount_refunded: 0 },
    ...{ currency: 'usd', created: 1_763_251_200 },
  };
  test.each<[string, object, object]>([
    ['without an id', {}, { id: null }],
    ['without an amount', {}, { amount: '500' }],
    ['without what was paid back', {}, { amount_refunded: '500' }],
    ['without a time', {}, { created: 1e20 }],
    ['of another payment', {}, { payment_intent: 'pi_2' }],
    ['of another order', { metadata: { ...found.metadata, reference: 'INVOICE-1' } }, {}],
    ['of another tenant', { metadata: { ...found.metadata, paidonce_tenant: 'u' } }, {}],
    ['of an intent that is not ours', { metadata: {} }, {}],
  ])('a charge %s is shown to no one', async (_, ofIntent, ofCharge) => {
    const respond = (intent: object, listed: object) => {
      raw.requests.length = 0;
      raw.respond = (socket) => socket.write(page([raw.requests.length === 1 ? intent : listed], false));
      return provider().findCharges(wanted);
    };
    expect(await respond(found, charge)).toMatchObject({ charges: [{ id: 'ch_1', amountMinor: 500 }] });
    // What a search finds beside the order's own is left out. A list of another intent is none.
    const isFound = Object.keys(ofIntent).length === 0;
    const shown = isFound ? invalid : { kind: 'responded', charges: [] };
    expect(await respond({ ...found, ...ofIntent }, { ...charge, ...ofCharge })).toEqual(shown);
  });

  function ours() {
    return { operation: '0197a4c2-5b1e-7c3a-9d42-1f6e8b0a7c55', paidonce_tenant: 't' };
  }
});

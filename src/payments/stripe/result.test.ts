import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ProviderResult } from '../provider.ts';
import { openRawProvider, type RawProvider, response, returnUrl } from '../testing/raw-provider.ts';
import { createStripeProvider } from './provider.ts';

// The outcome table, row by row, on real sockets: what the SDK makes of a broken connection is part of what is tested.
const timeoutMs = 300;
/** For a response that arrives: the machine may be busy. */
const patientMs = 10_000;

let raw: RawProvider;
beforeAll(async () => {
  raw = await openRawProvider();
});
beforeEach(() => {
  raw.requests.length = 0;
});
afterAll(() => raw.close());

function confirm(baseUrl = raw.url, within = patientMs): Promise<ProviderResult> {
  const provider = createStripeProvider({ secretKey: 'sk_test_x', baseUrl, timeoutMs: within, returnUrl });
  return provider.confirmIntent('pi_1', { operationId: 'op', tenantId: 't', generation: 1 });
}

const intent = (status: string, more: object = {}) => ({
  id: 'pi_1',
  object: 'payment_intent',
  status,
  latest_charge: 'ch_1',
  last_payment_error: null,
  amount: 1200,
  amount_received: status === 'succeeded' ? 1200 : 0,
  currency: 'usd',
  metadata: { operation: 'op', reference: 'invoice-1', payment_method: 'pm_card_visa' },
  created: 1_763_251_200,
  ...more,
});
const requested = {
  operationId: 'op',
  generation: 1,
  paymentMethod: 'pm_card_visa',
  amountMinor: 1200,
  currency: 'usd',
  reference: 'invoice-1',
  createdAt: new Date('2025-11-16T00:00:00Z'),
};
const failure = (type: string, more: object = {}) => ({
  error: { type, message: 'It is said why.', ...more },
});
const declined = { code: 'card_declined', decline_code: 'insufficient_funds', type: 'card_error' };

/** Half of the announced body, and then a regular close of the connection. */
const truncated = response(200, intent('succeeded'), { 'content-length': '5000' });
const chunkedHead = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';

type Row = [what: string, respond: (socket: Socket) => void, result: ProviderResult];

const rows: Row[] = [
  [
    '200',
    (socket) => socket.write(response(200, intent('succeeded'))),
    {
      kind: 'responded',
      intent: {
        id: 'pi_1',
        state: 'succeeded',
        chargeId: 'ch_1',
        declineCode: undefined,
        actionUrl: undefined,
        ...requested,
      },
    },
  ],
  [
    '200, with another amount received than was requested: what was received counts',
    (socket) => socket.write(response(200, intent('succeeded', { amount_received: 1000 }))),
    {
      kind: 'responded',
      intent: {
        id: 'pi_1',
        state: 'succeeded',
        chargeId: 'ch_1',
        declineCode: undefined,
        actionUrl: undefined,
        ...requested,
        amountMinor: 1000,
      },
    },
  ],
  [
    '402 card error with the intent',
    (socket) =>
      socket.write(
        response(
          402,
          failure('card_error', {
            ...declined,
            payment_intent: intent('requires_payment_method', { last_payment_error: declined }),
          }),
        ),
      ),
    {
      kind: 'responded',
      intent: {
        id: 'pi_1',
        state: 'declined',
        chargeId: 'ch_1',
        declineCode: 'insufficient_funds',
        actionUrl: undefined,
        ...requested,
      },
    },
  ],
  [
    '402 with text that PostgreSQL cannot store, which would leave the payment unknown for ever',
    (socket) => {
      const unstorable = { ...declined, decline_code: 'lost\u0000card\ud800' };
      const payment_intent = intent('requires_payment_method', { last_payment_error: unstorable });
      socket.write(response(402, failure('card_error', { ...unstorable, payment_intent })));
    },
    {
      kind: 'responded',
      intent: {
        id: 'pi_1',
        state: 'declined',
        chargeId: 'ch_1',
        declineCode: 'card_declined',
        actionUrl: undefined,
        ...requested,
      },
    },
  ],
  [
    '400 unexpected state, with the intent that says which',
    (socket) =>
      socket.write(
        response(
          400,
          failure('invalid_request_error', {
            code: 'payment_intent_unexpected_state',
            payment_intent: intent('succeeded'),
          }),
        ),
      ),
    {
      kind: 'responded',
      intent: {
        id: 'pi_1',
        state: 'succeeded',
        chargeId: 'ch_1',
        declineCode: undefined,
        actionUrl: undefined,
        ...requested,
      },
    },
  ],
  ...(
    [
      ['a page of the bank', 'https://bank.example/3ds', 'https://bank.example/3ds'],
      ['a script', 'javascript:alert(1)', undefined],
      ['data', 'data:text/html,<script>alert(1)</script>', undefined],
      ['no address', '//bank.example', undefined],
    ] as const
  ).map(
    ([what, url, actionUrl]): Row => [
      `200 that leads the shopper to ${what}`,
      (socket) =>
        socket.write(response(200, intent('requires_action', { next_action: { redirect_to_url: { url } } }))),
      {
        kind: 'responded',
        intent: {
          id: 'pi_1',
          state: 'requires_action',
          chargeId: 'ch_1',
          declineCode: undefined,
          actionUrl,
          ...requested,
        },
      },
    ],
  ),
  [
    '400 otherwise',
    (socket) => socket.write(response(400, failure('invalid_request_error', { code: 'parameter_missing' }))),
    { kind: 'rejected', code: 'parameter_missing' },
  ],
  [
    '404 about what the command names',
    (socket) => socket.write(response(404, failure('invalid_request_error', { code: 'resource_missing' }))),
    { kind: 'rejected', code: 'resource_missing' },
  ],
  [
    '400 for a payment method that does not exist',
    (socket) =>
      socket.write(
        response(
          400,
          failure('invalid_request_error', { code: 'resource_missing', param: 'payment_method' }),
        ),
      ),
    { kind: 'rejected', code: 'payment_method_unknown' },
  ],
  [
    '400 for an amount that cannot be charged',
    (socket) => socket.write(response(400, failure('invalid_request_error', { code: 'amount_too_small' }))),
    { kind: 'rejected', code: 'amount_not_chargeable' },
  ],
  [
    '402 without an intent',
    (socket) => socket.write(response(402, failure('card_error', { code: 'card_declined' }))),
    { kind: 'rejected', code: 'card_declined' },
  ],
  [
    '400 for a key that was sent with other parameters: that request may have been executed',
    (socket) => socket.write(response(400, failure('idempotency_error'))),
    { kind: 'ambiguous', code: 'provider_key_reused' },
  ],
  [
    '400 that means too many requests',
    (socket) => socket.write(response(400, failure('invalid_request_error', { code: 'rate_limit' }))),
    { kind: 'rejected', code: 'rate_limit' },
  ],
  [
    '401 for a key that was rolled, with the type of a refused command',
    (socket) => socket.write(response(401, failure('invalid_request_error', { code: 'api_key_expired' }))),
    { kind: 'rejected', code: 'api_key_expired' },
  ],
  [
    '403',
    (socket) => socket.write(response(403, failure('invalid_request_error'))),
    { kind: 'rejected', code: 'StripePermissionError' },
  ],
  [
    '401',
    (socket) => socket.write(response(401, failure('invalid_request_error'))),
    { kind: 'rejected', code: 'StripeAuthenticationError' },
  ],
  [
    '429',
    (socket) => socket.write(response(429, failure('invalid_request_error', { code: 'rate_limit' }))),
    { kind: 'not_executed', code: 'provider_rate_limited' },
  ],
  [
    '429 that says for how long',
    (socket) => socket.write(response(429, failure('invalid_request_error'), { 'retry-after': '7' })),
    { kind: 'not_executed', code: 'provider_rate_limited', retryAfterMs: 7_000 },
  ],
  [
    '429 that says it in a way we do not read',
    (socket) => socket.write(response(429, failure('invalid_request_error'), { 'retry-after': 'soon' })),
    { kind: 'not_executed', code: 'provider_rate_limited' },
  ],
  [
    '409 key in use',
    (socket) => socket.write(response(409, failure('idempotency_error', { code: 'idempotency_key_in_use' }))),
    { kind: 'ambiguous', code: 'provider_http_409' },
  ],
  // 408 and 499 are of a proxy that stopped waiting. 424 is Stripe's, for what failed at a bank or a network behind it.
  ...[408, 424, 499, 500, 502, 503].map(
    (status): Row => [
      `${status}`,
      (socket) => socket.write(response(status, failure('api_error'))),
      { kind: 'ambiguous', code: `provider_http_${status}` },
    ],
  ),
  [
    '502 from a proxy that speaks no JSON',
    (socket) => socket.write(response(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' })),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  ['no response until the time-out', () => undefined, { kind: 'ambiguous', code: 'provider_timeout' }],
  [
    'nothing after the headers until the time-out',
    (socket) => socket.write(chunkedHead),
    { kind: 'ambiguous', code: 'provider_timeout' },
  ],
  [
    'a close before any byte of the response',
    (socket) => socket.end(),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    'a reset before any byte of the response',
    (socket) => socket.resetAndDestroy(),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    'a reset in the middle of the response',
    (socket) => socket.write(truncated, () => socket.resetAndDestroy()),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    'a body shorter than promised',
    (socket) => socket.end(truncated),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    'a chunked body that ends before its end',
    (socket) => socket.end(`${chunkedHead}11\r\n{"id":"pi_1","sta\r\n`),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    '200 with half of a JSON text',
    (socket) => socket.write(response(200, '{"id":"pi_1","status":"succ')),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    '200 with garbage',
    (socket) => socket.write(response(200, 'ok!')),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    '101: another protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
  [
    'something that is not HTTP',
    (socket) => socket.end('220 mail.example ESMTP\r\n'),
    { kind: 'ambiguous', code: 'provider_no_response' },
  ],
];

describe('what came back, and what it means; the request is sent exactly once', () => {
  test.each(rows)('%s', async (_, respond, result) => {
    raw.respond = respond;
    const isTimeout = 'code' in result && result.code === 'provider_timeout';
    expect(await confirm(raw.url, isTimeout ? timeoutMs : patientMs)).toEqual(result);
    // The SDK returns after its last try, so a hidden one would have arrived by now.
    expect(raw.requests).toEqual(['POST /v1/payment_intents/pi_1/confirm HTTP/1.1']);
  });
});

describe('no connection, so that no byte has left: not executed', () => {
  const unreachable = { kind: 'not_executed', code: 'provider_unreachable' };

  test('refused', async () => {
    const gone = await openRawProvider();
    await gone.close();
    expect(await confirm(gone.url)).toEqual(unreachable);
  });

  test('the name does not resolve', async () => {
    expect(await confirm('http://provider.invalid')).toEqual(unreachable);
  });

  test('a TLS handshake that does not end before the deadline', async () => {
    expect(await confirm(raw.url.replace('http:', 'https:'), timeoutMs)).toEqual(unreachable);
    expect(raw.requests).toEqual([]);
  });

  test('a server that does not speak TLS', async () => {
    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    plain.listen(0, '127.0.0.1');
    await once(plain, 'listening');
    expect(await confirm(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`)).toEqual(unreachable);
    plain.close();
  });
});

describe('one deadline over the whole call, however busy the connection is', () => {
  const timedOut = { kind: 'ambiguous', code: 'provider_timeout' };

  /** A byte now and then, for ever: an idle timer would never fire. */
  const drip = (head: string, piece: string) => (socket: Socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), timeoutMs / 10);
    socket.once('close', () => clearInterval(timer));
  };

  test('a body that drips in', async () => {
    raw.respond = drip(chunkedHead, '1\r\n \r\n');
    expect(await confirm(raw.url, timeoutMs)).toEqual(timedOut);
  });

  test('a head that drips in', async () => {
    raw.respond = drip('HTTP/1.1 200 OK\r\n', 'x-more: 1\r\n');
    expect(await confirm(raw.url, timeoutMs)).toEqual(timedOut);
  });
});

test('a process that stops does not wait: a call under way is ambiguous, a later one is not sent', async () => {
  const ended = new AbortController();
  const provider = createStripeProvider({
    ...{ secretKey: 'sk_test_x', baseUrl: raw.url, timeoutMs: 60_000, returnUrl },
    ended: ended.signal,
  });
  const confirmIntent = () =>
    provider.confirmIntent('pi_1', { operationId: 'op', tenantId: 't', generation: 1 });
  // When the request has arrived.
  raw.respond = () => ended.abort();
  expect(await confirmIntent()).toEqual({ kind: 'ambiguous', code: 'provider_no_response' });
  expect(await confirmIntent()).toEqual({ kind: 'not_executed', code: 'provider_unreachable' });
  expect(raw.requests).toHaveLength(1);
});

test('a connection kept from an earlier call and closed meanwhile: not sent again behind our back either', async () => {
  const provider = createStripeProvider({
    secretKey: 'sk_test_x',
    baseUrl: raw.url,
    timeoutMs: patientMs,
    returnUrl,
  });
  raw.respond = (socket) => {
    socket.write(response(200, intent('requires_confirmation'), { connection: 'keep-alive' }));
    raw.respond = () => socket.resetAndDestroy();
  };
  await provider.retrieveIntent('pi_1');
  expect(await provider.confirmIntent('pi_1', { operationId: 'op', tenantId: 't', generation: 1 })).toEqual({
    kind: 'ambiguous',
    code: 'provider_no_response',
  });
  expect(raw.requests).toHaveLength(2);
});

test('the SDK left to itself would send a reset request again, with its retries set to none', async () => {
  const { hostname: host, port } = new URL(raw.url);
  const stripe = new Stripe('sk_test_x', { host, port, protocol: 'http', maxNetworkRetries: 0 });
  raw.respond = (socket) => socket.resetAndDestroy();
  await expect(stripe.paymentIntents.confirm('pi_1')).rejects.toThrow();
  expect(raw.requests).toHaveLength(2);
});

import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { rawRequest } from '../attacks/raw-request.ts';
import { type ConsoleHarness, openConsoleHarness } from '../testing/console-harness.ts';
import { differencesFromDescription } from '../testing/described-response.ts';
import { createNodeServer, type NodeServer } from './node-server.ts';
import { respond } from './routes.ts';

/** Requests as clients write them by mistake, and as proxies do on purpose, to the server of the API process. */
let harness: ConsoleHarness;
let api: NodeServer;
let url: string;
let token: string;
let tenantId: string;
const onError = vi.fn();
/** The statuses of the responses, also of those that no client waits for. */
const statuses: number[] = [];
/** How they differ from the description of the API. */
const differences: string[] = [];

beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
  const owner = await harness.createMember(tenantId, 'owner');
  ({ token } = await owner.call.apiKeys.create({ name: 'all', scopes: ['read', 'pay', 'refund'] }));
  api = createNodeServer({
    onError,
    async respond(request) {
      const response = await respond(harness.services, request);
      statuses.push(response.status);
      const { method, url: address } = request;
      const given = { method, url: address, status: response.status, headers: response.headers };
      const text = await response.clone().text();
      // That a client may ask for the methods is in no description.
      if (method !== 'OPTIONS') differences.push(...differencesFromDescription({ ...given, text }));
      return response;
    },
  });
  api.server.listen(0, '127.0.0.1');
  await once(api.server, 'listening');
  url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await api.stop();
  await harness.close();
});

const payment = JSON.stringify({
  ...{ amountMinor: 1200, currency: 'usd', paymentMethod: 'pm_card_visa', reference: 'Müller' },
});

const withField = (field: string) => Buffer.from(payment.replace('{', `{${field},`));

const headersOf = (over: Record<string, string> = {}) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  'Idempotency-Key': randomUUID(),
  Connection: 'keep-alive',
  ...over,
});

describe('a payment is refused before a record is made', () => {
  test.each([
    ['in Latin-1', Buffer.from(payment, 'latin1'), {}, 400, 'The body is not UTF-8.'],
    ['in UTF-16', Buffer.from(payment, 'utf16le'), {}, 400, 'The body is not'],
    ['not JSON', Buffer.from('amountMinor=1200'), { 'Content-Type': 'text/plain' }, 415, 'Content-Type'],
    ['larger than 16 KiB', Buffer.from(payment.padEnd(20_000)), {}, 413, '16 KiB'],
    [
      'with a name that the API does not know',
      withField('"amount":5'),
      {},
      400,
      'body: Unrecognized key: "amount"',
    ],
    ['with a name given twice', withField('"amountMinor":9'), {}, 400, 'The body has "amountMinor" twice.'],
    ['with it written differently', withField('"amount\\u004dinor":9'), {}, 400, 'has "amountMinor" twice.'],
    ['compressed', gzipSync(payment), { 'Content-Encoding': 'gzip' }, 415, 'The body is compressed.'],
  ])('that is %s', async (_, body, headers, status, detail) => {
    const before = await harness.db.idempotencyRecord.count();
    const response = await rawRequest(url, '/api/v1/payments', {
      ...{ method: 'POST', headers: headersOf(headers), body },
    });
    expect([response.status, JSON.parse(response.text).detail]).toEqual([
      status,
      expect.stringContaining(detail),
    ]);
    // What is left of a body that was not read would be taken for the next request.
    if (status === 413) expect(response.headers.connection).toBe('close');
    expect(await harness.db.idempotencyRecord.count()).toBe(before);
  });
});

test('a client that leaves in the middle of its body is no error in the log', async () => {
  const logged = vi.spyOn(harness.services.log, 'error');
  const received = vi.spyOn(harness.services.apiKeys, 'find');
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = Object.entries(headersOf({ 'Content-Length': '500', Host: 'x' }));
  socket.write(
    `POST /api/v1/payments HTTP/1.1\r\n${head.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n{"amount`,
  );
  await expect.poll(() => received.mock.calls.length, { timeout: 30_000 }).toBe(1);
  statuses.length = 0;
  socket.resetAndDestroy();
  await expect.poll(() => statuses, { timeout: 30_000 }).toEqual([400]);
  expect([logged.mock.calls, onError.mock.calls]).toEqual([[], []]);
});

describe('a refund', () => {
  const refund = (body: object, headers = headersOf()) =>
    rawRequest(url, '/api/v1/refunds', { method: 'POST', headers, body: JSON.stringify(body) });
  const openPayment = () =>
    harness.db.payment.create({
      data: {
        ...{ tenantId, id: randomUUID(), operationId: randomUUID(), reference: randomUUID() },
        ...{ amountMinor: 1200, currency: 'usd', paymentMethod: 'pm_card_visa' },
        ...{ status: 'succeeded', completedAt: new Date(), providerIntentId: `pi_${randomUUID()}` },
      },
    });

  test('whose amount has another name does not pay back everything', async () => {
    const { id: paymentId } = await openPayment();
    const { status, text } = await refund({ paymentId, reference: 'return-1', amount: 100 });
    expect([status, JSON.parse(text).detail]).toEqual([400, expect.stringContaining('"amount"')]);
    expect(await harness.db.refund.count({ where: { paymentId } })).toBe(0);
  });

  test('that names its payment in capitals is the same refund when it is tried again', async () => {
    const { id } = await openPayment();
    const headers = headersOf();
    // No provider listens, so that nothing was executed and the key may be used again.
    for (const paymentId of [id.toUpperCase(), id.toUpperCase(), id]) {
      const { status, text } = await refund({ paymentId, reference: 'return-1', amountMinor: 100 }, headers);
      expect([status, JSON.parse(text).code]).toEqual([503, 'provider_unavailable']);
    }
  });
});

test('an operation is found by its key in both forms, and not by two keys or by what is none', async () => {
  const headers = headersOf();
  const key = headers['Idempotency-Key'];
  await rawRequest(url, '/api/v1/payments', { method: 'POST', headers, body: Buffer.from(payment) });
  const find = async (...keys: string[]) => {
    const query = keys.map((one) => `key=${encodeURIComponent(one)}`).join('&');
    const { status, text } = await rawRequest(url, `/api/v1/operations?${query}`, { headers });
    return [status, JSON.parse(text).data?.length];
  };
  expect(await find(key)).toEqual([200, 1]);
  const { id } = await harness.db.idempotencyRecord.findFirstOrThrow({ where: { tenantId, key } });
  const byId = await rawRequest(url, `/api/v1/operations/${id.toUpperCase()}`, { headers });
  expect([byId.status, JSON.parse(byId.text).operationId], 'by its id in capitals').toEqual([200, id]);
  expect(await find(`"${key}"`)).toEqual([200, 1]);
  expect(await find(key, randomUUID())).toEqual([400, undefined]);
  expect(await find(`${key} ${key}`)).toEqual([400, undefined]);
  expect(await find()).toEqual([400, undefined]);
});

describe.each([
  ['NUL', '%00'],
  ['half of a surrogate pair', '%ED%A0%BD'],
  ['broken UTF-8', '%FF'],
  ['a control character', '%07'],
  ['a line break', '%0A'],
  ['a vertical tab', '%0B'],
  ['a space that is none of ASCII', '%C2%A0'],
  ['a mark of the order of bytes', '%EF%BB%BF'],
  ['a mark of writing direction', '%E2%80%AE'],
  ['a broken escape', '%E0%A4%A'],
])('%s in an address', (_, character) => {
  // Long enough, so that nothing but the character is wrong with it.
  const id = randomUUID();
  const withCharacter = (text: string) => [
    `${character}${text}`,
    `${text.slice(0, 5)}${character}${text.slice(5)}`,
    `${text}${character}`,
  ];
  const statusOf = async (method: string, path: string) => {
    const body = method === 'POST' ? { body: payment } : {};
    const { status, text } = await rawRequest(url, path, { method, headers: headersOf(), ...body });
    const { code, detail } = JSON.parse(text);
    return [status, code, detail];
  };

  test('as a key: 400 that names it, and not an empty list', async () => {
    for (const key of withCharacter(id)) {
      const [status, code, detail] = await statusOf('GET', `/api/v1/operations?key=${key}`);
      expect([status, code, detail], key).toEqual([400, 'invalid_request', expect.stringMatching(/^key: /)]);
    }
  });

  test('in a path: 404, and no record', async () => {
    const before = await harness.db.idempotencyRecord.count();
    const paths: [string, string][] = [
      ...withCharacter(id).flatMap((one): [string, string][] => [
        ['GET', `/api/v1/operations/${one}`],
        ['GET', `/api/v1/payments/${one}`],
      ]),
      ...withCharacter('payments').flatMap((one): [string, string][] => [
        ['GET', `/api/v1/${one}/${id}`],
        ['POST', `/api/v1/${one}`],
      ]),
    ];
    for (const [method, path] of paths) {
      expect(await statusOf(method, path), path).toEqual([404, 'not_found', expect.any(String)]);
    }
    expect(await harness.db.idempotencyRecord.count()).toBe(before);
  });
});

test('a read with a query parameter that is not described is refused by its name, and an unknown address stays one', async () => {
  const id = randomUUID();
  const answerTo = async (path: string, method = 'GET') => {
    const { status, headers, text } = await rawRequest(url, path, { method, headers: headersOf() });
    const { code, detail } = JSON.parse(text || '{}');
    return { status, code, detail, type: headers['content-type'] };
  };
  for (const path of [
    `/api/v1/operations?key=${id}&`,
    `/api/v1/operations/${id}?`,
    `/api/v1/payments/${id}?`,
  ]) {
    expect(await answerTo(`${path}statsu=unknown`), path).toEqual({
      ...{ status: 400, code: 'invalid_request', type: 'application/problem+json' },
      detail: expect.stringMatching(/^"statsu": this address takes /),
    });
  }
  expect(await answerTo(`/api/v1/operations?Key=${id}`)).toMatchObject({
    detail: '"Key": this address takes only key.',
  });
  expect(await answerTo(`/api/v1/payments/${id}?`)).toMatchObject({ status: 404 });
  expect(await answerTo(`/api/v1/paymints/${id}?statsu=unknown`)).toMatchObject({ status: 404 });
});

test('the name of the scheme may be written in any case, as of every scheme', async () => {
  const headers = headersOf({ Authorization: `bearer ${token}` });
  expect((await rawRequest(url, `/api/v1/operations?key=${randomUUID()}`, { headers })).status).toBe(200);
});

test('a request that names the host, as to a proxy, is served', async () => {
  expect((await rawRequest(url, 'http://pay.example/api/health')).status).toBe(200);
  expect((await rawRequest(url, 'http://[', {})).status).toBe(404);
});

test('a response without a body has no length either', async () => {
  const { status, headers } = await rawRequest(url, '/api/v1/payments', { method: 'OPTIONS' });
  expect([status, headers.allow, headers['content-length']]).toEqual([204, 'POST, OPTIONS', undefined]);
});

test('a failure of ours is a problem on every address', async () => {
  const id = randomUUID();
  const addresses: [string, string, string?][] = [
    ['GET', `/api/v1/operations/${id}`],
    ['GET', `/api/v1/operations?key=${id}`],
    ['GET', `/api/v1/payments/${id}`],
    ['POST', '/api/v1/payments', payment],
  ];
  await harness.db.$executeRaw`ALTER TABLE idempotency_record RENAME TO lost_record`;
  await harness.db.$executeRaw`ALTER TABLE payment RENAME TO lost_payment`;
  try {
    for (const [method, path, body] of addresses) {
      const { status, text } = await rawRequest(url, path, {
        ...{ method, headers: headersOf() },
        ...(body && { body }),
      });
      expect([status, JSON.parse(text).code], path).toEqual([500, 'internal_error']);
    }
  } finally {
    await harness.db.$executeRaw`ALTER TABLE lost_record RENAME TO idempotency_record`;
    await harness.db.$executeRaw`ALTER TABLE lost_payment RENAME TO payment`;
  }
});

test('all of these responses are as the API describes them', () => {
  expect(statuses).toEqual(expect.arrayContaining([200, 400, 404, 500]));
  expect(differences).toEqual([]);
});

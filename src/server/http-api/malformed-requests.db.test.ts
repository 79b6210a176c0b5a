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
const onError = vi.fn();
/** The statuses of the responses, also of those that no client waits for. */
const statuses: number[] = [];
/** How they differ from the description of the API. */
const differences: string[] = [];

beforeAll(async () => {
  harness = await openConsoleHarness();
  const shop = await harness.openShop('acme');
  const owner = await harness.createMember(shop, 'owner');
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

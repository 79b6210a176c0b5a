import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiHeaders } from '../response-headers.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { differencesFromDescription } from '../testing/described-response.ts';

/** The same API twice: by Next, and by the process without it. Both have one database, one sandbox and one public URL. */
let system: System;
let next: AppProcess;
let api: AppProcess;
let apiKey: string;

const publicUrl = 'https://pay.example';

beforeAll(async () => {
  system = await openSystem();
  const over = { PUBLIC_URL: publicUrl };
  [next, api] = await Promise.all([system.startApp(over), system.startApi(over)]);
  apiKey = system.tenants[0].apiKeys[0];
}, 60_000);
afterAll(() => system.close());

const paymentBody = (over: object = {}) => ({
  amountMinor: 1200,
  currency: 'usd',
  paymentMethod: 'pm_card_visa',
  reference: `invoice-${randomUUID()}`,
  ...over,
});

const pay = (process: AppProcess, key: string | string[], body: unknown, as = apiKey) =>
  call(`${process.url}/api/v1/payments`, as, { key, body });

/** What a client can see of a response, except for how and when it was sent. */
async function seen(process: AppProcess, path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${apiKey}`, ...(init.headers as Record<string, string>) };
  const response = await fetch(`${process.url}${path}`, { redirect: 'manual', ...init, headers });
  const ignored = /^(date|connection|keep-alive|content-length|transfer-encoding|vary|content-encoding)$/;
  const shown = [...response.headers].filter(([name]) => !ignored.test(name)).toSorted();
  const [{ status, url }, body] = [response, await response.text()];
  const given = { method: init.method ?? 'GET', url, status, headers: response.headers, text: body };
  expect(differencesFromDescription(given), path).toEqual([]);
  return { status, body, headers: Object.fromEntries(shown) };
}

async function expectSame(path: string, init: RequestInit = {}) {
  const [byNext, byApi] = [await seen(next, path, init), await seen(api, path, init)];
  expect(byApi).toEqual(byNext);
  return byApi;
}

const post = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json', ...headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('both send the same response', () => {
  test('to a replay, whichever of them executed the payment', async () => {
    for (const first of [next, api]) {
      const [key, body] = [randomUUID(), paymentBody()];
      const paid = await pay(first, key, body);
      expect(paid.status).toBe(201);
      const replay = await expectSame('/api/v1/payments', post(body, { 'Idempotency-Key': key }));
      expect(replay).toMatchObject({ status: 201, body: paid.text });
      expect(replay.headers['idempotent-replayed']).toBe('true');
      expect(await system.sandbox.charges(body.reference)).toHaveLength(1);
    }
  });

  test('to a payment that is unknown, declined or refused', async () => {
    for (const paymentMethod of ['pm_fault_charged_reset', 'pm_card_visa_chargeDeclined']) {
      const [key, body] = [randomUUID(), paymentBody({ paymentMethod })];
      await pay(api, key, body);
      await expectSame('/api/v1/payments', post(body, { 'Idempotency-Key': key }));
      await expectSame('/api/v1/payments', post({ ...body, amountMinor: 9 }, { 'Idempotency-Key': key }));
    }
  });

  test.each([
    ['no key', {}],
    ['a key that is too short', { 'Idempotency-Key': 'short' }],
    ['a wrong content type', { 'Idempotency-Key': randomUUID(), 'Content-Type': 'text/plain' }],
    ['a wrong API key', { 'Idempotency-Key': randomUUID(), Authorization: 'Bearer po_nothing' }],
  ])('to a request with %s', async (_, headers) => {
    const { status } = await expectSame('/api/v1/payments', post(paymentBody(), headers));
    expect(status).toBeGreaterThanOrEqual(400);
  });

  test.each([
    ['is not JSON', '{'],
    ['is not a command', '{}'],
    ['is too large', JSON.stringify({ ...paymentBody(), filler: 'x'.repeat(20_000) })],
  ])('to a body that %s', async (_, body) => {
    const { status } = await expectSame('/api/v1/payments', post(body, { 'Idempotency-Key': randomUUID() }));
    expect([400, 413]).toContain(status);
  });

  test('to reads of operations and payments, found or not', async () => {
    const key = randomUUID();
    const { json } = await pay(api, key, paymentBody());
    for (const [path, status] of [
      [`/api/v1/payments/${json.paymentId}`, 200],
      [`/api/v1/payments/${randomUUID()}`, 404],
      [`/api/v1/operations/${json.operationId}`, 200],
      [`/api/v1/operations?key=${key}`, 200],
      ['/api/v1/operations?key=short', 400],
      ['/api/v1/openapi.json', 200],
      ['/api/v1/nothing/at-all', 404],
      ['/api/health', 200],
      ['/api/ready', 200],
      ['/api/metrics', 403],
    ] as const) {
      expect(await expectSame(path), path).toMatchObject({ status });
    }
  });

  test('to a method that a path does not have, and to a webhook that is forged', async () => {
    for (const [path, init, status] of [
      ['/api/v1/payments', { method: 'DELETE' }, 405],
      ['/api/v1/nothing', { method: 'DELETE' }, 404],
      ['/api/v1/operations', post({}), 405],
      ['/api/webhooks/stripe', post({}, { 'stripe-signature': 't=1,v1=00' }), 400],
    ] as const) {
      expect((await seen(api, path, init)).status, path).toBe(status);
      expect((await seen(next, path, init)).status, path).toBe(status);
    }
  });
});

describe('the process without Next', () => {
  test('sends the security headers with every response, and knows no page', async () => {
    for (const path of ['/api/health', '/api/v1/operations', '/', '/admin', '/../etc/passwd']) {
      const response = await fetch(`${api.url}${path}`);
      for (const [name, value] of Object.entries(apiHeaders)) expect(response.headers.get(name)).toBe(value);
      await response.body?.cancel();
    }
    expect((await fetch(`${api.url}/admin`)).status).toBe(404);
  });

  test('stops reading a body that is too large, and closes the connection', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.write(
      `POST /api/v1/payments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Type: application/json\r\nIdempotency-Key: ${randomUUID()}\r\nContent-Length: 1000000000\r\n\r\n`,
    );
    socket.write('x'.repeat(64 * 1024));
    socket.on('error', () => undefined);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(socket, 'close');
    expect(text).toContain('HTTP/1.1 413');
  });
});

describe('that is stopped', () => {
  // The provider stays silent for half a minute, and a supervisor kills after six seconds.
  const patient = { PUBLIC_URL: publicUrl, PROVIDER_TIMEOUT_MS: '60000', LEASE_MS: '121000' };

  test.each([
    ['Next', () => system.startApp(patient)],
    ['the process without Next', () => system.startApi(patient)],
  ])(
    '%s responds to the payment under way before it is killed, closes the connection, takes no other, and ends',
    async (_, start) => {
      const stopping = await start();
      const [key, body] = [randomUUID(), paymentBody({ paymentMethod: 'pm_fault_slow' })];
      const running = pay(stopping, key, body);
      await system.untilRecord(key, 'in_progress');
      await system.untilCharged(body.reference);
      const stoppedAt = performance.now();
      const ended = stopping.kill('SIGTERM');
      const refused = async () =>
        fetch(`${stopping.url}/api/health`).then(
          () => false,
          () => true,
        );
      while (!(await refused())) await delay(20);
      // The outcome is unknown, and the response says so.
      const response = await running;
      expect([response.status, response.headers.get('connection')]).toEqual([202, 'close']);
      await system.untilRecord(key, 'unknown');
      await ended;
      expect(performance.now() - stoppedAt).toBeLessThan(15_000);
    },
  );
});

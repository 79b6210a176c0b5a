import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { rawRequest } from './raw-request.ts';

/** A stranger without an account, against the production server. */

let system: System;
let app: AppProcess;
let orderId: string;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApp({ METRICS_TOKEN: 'a token for metrics' });
  const [{ id: tenantId }] = system.tenants;
  ({ id: orderId } = await system.db.order.create({
    data: { tenantId, number: 'ACME-00000001', amountMinor: 1450, currency: 'eur' },
  }));
  const mug = { slug: 'mug', name: 'Mug', description: 'Stoneware', art: 'mug', currency: 'eur' };
  await system.db.product.create({ data: { tenantId, amountMinor: 1800, ...mug } });
});
afterAll(() => system.close());

const send = (path: string, options?: Parameters<typeof rawRequest>[2]) => rawRequest(app.url, path, options);

const pages = () => [
  '/',
  '/s/acme',
  `/pay/${orderId}`,
  `/orders/${orderId}`,
  '/admin',
  '/admin/sign-in?next=%2Fadmin%2Fqueue',
  '/admin/second-factor',
  '/admin/invitation/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  '/docs',
  '/problems',
  '/api/v1/openapi.json',
  '/api/v1/operations?key=0123456789abcdef',
];

describe('a host that the stranger made up', () => {
  const elsewhere = 'evil.example';
  const forged = {
    host: elsewhere,
    'x-forwarded-host': elsewhere,
    'x-forwarded-proto': 'https',
    'x-original-url': `https://${elsewhere}/`,
    'x-rewrite-url': '/admin',
    forwarded: `host=${elsewhere}`,
  };

  test('is in no page, link or redirect', async () => {
    for (const path of pages()) {
      const { status, headers, text } = await send(path, { headers: forged });
      expect(status, path).toBeLessThan(500);
      expect(JSON.stringify(headers), path).not.toContain(elsewhere);
      expect(text.includes(elsewhere), `${path} repeats the host`).toBe(false);
    }
  });
});

describe('a redirect', () => {
  test.each([
    '//evil.example',
    '//evil.example/',
    '/\\evil.example/',
    '/%5cevil.example/',
    '//evil.example/%2e%2e/',
    '/admin//evil.example/',
    '/admin/sign-in?next=//evil.example',
    '/admin/second-factor?next=https://evil.example',
    '/bank-return?next=https://evil.example&return_url=https://evil.example',
  ])('%s leads to no other site', async (path) => {
    const { status, headers } = await send(path);
    expect(status).toBeLessThan(500);
    const location = headers.location ?? '/';
    expect(new URL(location, app.url).host).toBe(new URL(app.url).host);
  });

  test('carries no header that its address tries to add', async () => {
    for (const path of [
      '/admin/operations?x=%0d%0aSet-Cookie:%20a=b',
      '/admin/%0d%0aSet-Cookie:%20a=b',
      '/s/%0d%0aSet-Cookie:%20a=b/',
    ]) {
      const { status, headers } = await send(path);
      expect(status, path).toBeLessThan(500);
      expect(headers['set-cookie'], path).toBeUndefined();
    }
  });
});

describe('a path', () => {
  test.each([
    '/_next/static/../../../package.json',
    '/_next/static/..%2f..%2f..%2fpackage.json',
    '/..%2f..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/.env',
    '/.env',
    '/.data/secrets.json',
    '/_next/image?url=%2Fetc%2Fpasswd&w=64&q=75',
    '/_next/image?url=http%3A%2F%2F169.254.169.254%2Flatest&w=64&q=75',
    // Next would ask itself for it, past `proxy.ts` and without the address of the client.
    '/_next/image?url=%2Fs%2F%25ff&w=64&q=75',
    '/_next/data/x/admin.json',
    '/prisma/schema.prisma',
  ])('%s reads no file and asks no other server', async (path) => {
    const { status, text } = await send(path);
    expect([308, 400, 404]).toContain(status);
    expect(text).not.toMatch(/root:|"dependencies"|AUTH_SECRET|datasource/);
  });

  test.each([
    '/problems/constructor',
    '/problems/__proto__',
    '/s/__proto__',
    '/s/acme/constructor',
    '/lab/constructor',
    '/api/v1/constructor',
    '/api/v1/__proto__/toString',
    '/api/trpc/constructor',
    '/api/trpc/__proto__.toString',
    '/api/trpc/account.constructor',
    '/api/auth/constructor',
    '/orders/constructor',
    '/orders/%00',
    '/s/%00',
    '/s/%ff',
    '/orders/%ff',
    '/problems/%ff',
    '/admin/invitation/%ff',
    '/admin/payments/%ff',
    '/%',
    '/%E0%A4%A',
    `/s/${'x'.repeat(8_000)}`,
    `/admin/sign-in?next=${'%00'.repeat(50)}`,
  ])('%s is refused in an orderly way', async (path) => {
    const { status } = await send(path);
    expect(status).toBeLessThan(500);
  });
});

describe('cookies and headers', () => {
  test.each([
    ['a session of no one', { cookie: 'better-auth.session_token=%00%ff; zone=../../etc/passwd' }],
    ['a cookie without end', { cookie: `better-auth.session_token=${'x'.repeat(8_000)}` }],
    ['a made-up session', { cookie: `better-auth.session_token=${randomUUID()}.c2lnbmF0dXJl` }],
    ['languages that do not exist', { 'accept-language': `${'x-'.repeat(500)},*;q=NaN` }],
    ['the header of a middleware', { 'x-middleware-subrequest': 'src/proxy:src/proxy:src/proxy:src/proxy' }],
    ['an address of its own', { 'x-paidonce-client': '127.0.0.1', 'x-forwarded-for': '127.0.0.1' }],
    ['a tree of Next', { rsc: '1', 'next-router-state-tree': '%5B%22__proto__%22%5D' }],
  ])('%s: no page of the console is shown, and none fails', async (_, headers) => {
    const { status, text } = await send('/admin/payments', { headers });
    expect(status).toBeLessThan(500);
    expect(text).not.toContain('aria-label="Console"');
  });

  test('the metrics need their token', async () => {
    for (const authorization of [
      '',
      'Bearer ',
      'Bearer a token',
      'Basic YTpi',
      'Bearer a token for metrics x',
    ])
      expect((await send('/api/metrics', { headers: { authorization } })).status).toBe(401);
  });
});

describe('a procedure', () => {
  const json = { 'content-type': 'application/json' };
  const deep = '['.repeat(30_000) + ']'.repeat(30_000);

  test.each([
    ['no JSON', '{'],
    ['nothing', ''],
    ['deep nesting', deep],
    ['a prototype', '{"__proto__":{"orderId":"x"},"constructor":{"prototype":{"access":"public"}}}'],
    ['a list', '[]'],
    ['a number without end', '1e999'],
  ])('gets %s: 4xx', async (_, body) => {
    for (const path of ['payments.pay', 'shop.checkOut', 'account.accept', 'account.confirm']) {
      const { status } = await send(`/api/trpc/${path}`, { method: 'POST', headers: json, body });
      expect([400, 401, 413], path).toContain(status);
    }
  });

  test('that changes something is not called by GET, nor under another method’s name', async () => {
    const input = encodeURIComponent(JSON.stringify({ orderId }));
    const path = `/api/trpc/payments.cancelOrder?input=${input}`;
    expect((await send(path)).status).toBe(405);
    expect((await send(path, { headers: { 'x-http-method-override': 'POST' } })).status).toBe(405);
    expect((await system.db.order.findUniqueOrThrow({ where: { id: orderId } })).cancelledAt).toBeNull();
  });

  test('is not called a hundred times in one request', async () => {
    const calls = Array.from({ length: 100 }, () => 'shop.list').join(',');
    expect((await send(`/api/trpc/${calls}?batch=1&input=%7B%7D`)).status).toBe(400);
  });
});

describe('a form', () => {
  /** As the page of the shop has it, with fields that it has or not. */
  async function post(fields: Record<string, string>, headers: Record<string, string> = {}) {
    const page = await send('/s/acme');
    const name = /name="(\$ACTION_ID_[0-9a-f]+)"/.exec(page.text)?.[1];
    expect(name).toBeDefined();
    const parts = Object.entries({ [name ?? '']: '', ...fields }).map(
      ([field, value]) => `--x\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
    );
    return send('/s/acme', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x', origin: app.url, ...headers },
      body: `${parts.join('')}--x--\r\n`,
    });
  }
  const line = { shop: 'acme', product: 'mug', quantity: '1' };

  test('is taken from our own page', async () => {
    expect((await post(line)).headers['set-cookie']?.[0]).toContain('~mug.1;');
  });

  test.each([
    ['of another site', line, { origin: 'https://evil.example' }, 403],
    ['of a page that hides its site', line, { origin: 'null' }, 403],
    ['without its fields', {}, {}, 404],
    ['with a quantity below zero', { ...line, quantity: '-1' }, {}, 404],
    ['of three megabytes', { ...line, note: 'x'.repeat(3 * 1024 * 1024) }, {}, 413],
  ])('%s is refused, and is no failure of the server', async (_, fields, headers, status) => {
    const refused = await post(fields as Record<string, string>, headers as Record<string, string>);
    expect([refused.status, refused.headers['set-cookie']]).toEqual([status, undefined]);
  });

  test('of three megabytes is taken by no page', async () => {
    const body = Buffer.alloc(3 * 1024 * 1024, 'x');
    for (const path of ['/', '/admin/sign-in', `/pay/${orderId}`, '/admin/sign-in/demo']) {
      for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        const headers = { 'content-type': type, 'next-action': 'a'.repeat(42), origin: app.url };
        const { status } = await send(path, { method: 'POST', headers, body });
        expect(status, `${path} ${type}`).toBe(413);
      }
    }
  });
});

test('a connection that asks for another protocol is not left open', async () => {
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  expect((await send('/nope', { headers })).status).toBe(404);
});

test('thousands of requests on one connection are not taken', async () => {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', () => undefined);
  socket.write('GET /api/health HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3_000));
  let responses = 0;
  socket.on('data', (data) => {
    responses += data.toString().split('HTTP/1.1 200').length - 1;
  });
  await closed;
  expect(responses).toBeLessThan(3_000);
});

test('two hundred and fifty streams, opened and dropped, stop no payment and leave no error in the log', async () => {
  const logged = app.output().length;
  const input = encodeURIComponent(JSON.stringify({ orderId }));
  const leaving = new AbortController();
  const open = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(`${app.url}/api/trpc/payments.watchOrder?input=${input}`, { signal: leaving.signal }),
      ),
    );
  // Twenty at a time: a busy machine ends a stream whose first read waits too long, and it would no longer count.
  const held: Response[] = [];
  while (held.length < 200) held.push(...(await open(20)));
  expect(held.map(({ status }) => status)).toEqual(Array(200).fill(200));
  expect((await open(50)).map(({ status }) => status)).toEqual(Array(50).fill(429));
  const [{ apiKeys }] = system.tenants;
  const paid = await call(`${app.url}/api/v1/payments`, apiKeys[0], {
    key: randomUUID(),
    body: { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference: randomUUID() },
  });
  expect(paid.status).toBe(201);
  leaving.abort();
  const list = async () => (await send('/api/trpc/shop.list')).status;
  await expect.poll(list, { timeout: 10_000 }).toBe(200);
  expect(app.output().slice(logged)).not.toMatch(/"level":(50|60)|unhandled/i);
});

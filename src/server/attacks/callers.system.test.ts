import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { rawRequest } from './raw-request.ts';

/** Callers who have something: an order, a session or an API key. */

let system: System;
let app: AppProcess;
const password = 'a password for tests';
let cookie: string;
let email: string;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApp();
  const [{ id: tenantId }] = system.tenants;
  email = `${randomUUID()}@example.com`;
  const userId = randomUUID();
  await system.db.user.create({ data: { id: userId, email, name: '<b>Eve</b>', emailVerified: true } });
  await system.db.account.create({
    data: {
      id: randomUUID(),
      userId,
      accountId: userId,
      providerId: 'credential',
      password: await hashPassword(password),
    },
  });
  await system.db.member.create({
    data: { id: randomUUID(), organizationId: tenantId, userId, role: 'viewer' },
  });
  cookie = cookiesOf(await signIn());
});
afterAll(() => system.close());

function signIn(headers: Record<string, string> = {}, extra: object = {}): Promise<Response> {
  return fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, ...headers },
    body: JSON.stringify({ email, password, ...extra }),
  });
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
}

function mutate(path: string, input: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}/api/trpc/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  });
}

describe('a shopper', () => {
  test('pays what the order costs, although the request names other values', async () => {
    const [{ id: tenantId }, { id: other }] = system.tenants;
    const number = `ACME-${randomUUID().slice(0, 8).toUpperCase()}`;
    const { id: orderId } = await system.db.order.create({
      data: { tenantId, number, amountMinor: 1450, currency: 'eur' },
    });
    const input = {
      ...{ orderId, paymentMethod: 'pm_card_visa', email: 'shopper@example.com' },
      ...{ amountMinor: 1, currency: 'jpy', reference: 'FREE', tenantId: other, principal: 'api' },
      ...{ order: { amountMinor: 1 }, returnUrl: 'https://evil.example', receiptEmail: 'eve@evil.example' },
    };
    const paid = await mutate('payments.pay', input, { 'idempotency-key': randomUUID() });
    expect(paid.status).toBe(200);
    expect(await system.sandbox.charges(number)).toMatchObject([{ amount: 1450, currency: 'eur' }]);
    expect(await system.db.payment.findMany({ where: { reference: number } })).toMatchObject([
      { tenantId, amountMinor: 1450n, receiptEmail: 'shopper@example.com' },
    ]);
  });

  test.each([
    ['a script', '"><script>alert(1)</script>@example.com'],
    ['two addresses', 'a@example.com, b@example.com'],
    ['a second header', 'a@example.com\r\nBcc: b@example.com'],
    ['a name', 'Eve <a@example.com>'],
  ])('whose e-mail address is %s is refused before anything is stored', async (_, address) => {
    const [{ id: tenantId }] = system.tenants;
    const number = `ACME-${randomUUID().slice(0, 8).toUpperCase()}`;
    const { id: orderId } = await system.db.order.create({
      data: { tenantId, number, amountMinor: 1450, currency: 'eur' },
    });
    const input = { orderId, paymentMethod: 'pm_card_visa', email: address };
    expect((await mutate('payments.pay', input, { 'idempotency-key': randomUUID() })).status).toBe(400);
    expect(await system.db.payment.count({ where: { reference: number } })).toBe(0);
  });
});

describe('a member', () => {
  test('who signs in with a session that another person planted gets a new one', async () => {
    const planted = cookie;
    const fresh = cookiesOf(await signIn({ cookie: planted }, { token: 'x', activeOrganizationId: 'x' }));
    const tokenOf = (text: string) => /session_token=([^;]+)/.exec(text)?.[1];
    expect(tokenOf(fresh)).toBeDefined();
    expect(tokenOf(fresh)).not.toBe(tokenOf(planted));
  });

  test('is neither signed out nor changed by another site that posts with their cookie', async () => {
    const sessions = await system.db.session.count();
    for (const path of ['/sign-out', '/change-password', '/two-factor/enable', '/two-factor/disable']) {
      for (const headers of [
        { origin: 'https://evil.example', 'content-type': 'application/json' },
        { origin: 'null', 'content-type': 'application/json' },
        { origin: 'https://evil.example', 'content-type': 'text/plain' },
        { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
      ]) {
        const body = JSON.stringify({
          password,
          currentPassword: password,
          newPassword: 'chosen by another site',
        });
        const response = await fetch(`${app.url}/api/auth${path}`, {
          method: 'POST',
          headers: { cookie, ...headers },
          body,
        });
        expect([400, 403, 415, 429], `${path} ${JSON.stringify(headers)}`).toContain(response.status);
      }
    }
    expect(await system.db.session.count()).toBe(sessions);
    expect((await signIn()).status).toBe(200);
  });

  test('sees what a merchant’s server sent as text, never as markup', async () => {
    const [{ apiKeys }] = system.tenants;
    const reference = `<script>alert("${randomUUID()}")</script>`;
    const body = { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference };
    const paid = await call(`${app.url}/api/v1/payments`, apiKeys[0], { key: randomUUID(), body });
    expect(paid.status).toBe(201);
    const record = await system.db.payment.findFirstOrThrow({ where: { reference } });
    for (const path of [
      '/admin/payments',
      `/admin/payments/${record.id}`,
      '/admin/operations',
      `/admin/operations?q=${encodeURIComponent(reference)}`,
      `/admin/operations/${record.operationId}`,
      '/admin/members',
    ]) {
      const page = await rawRequest(app.url, path, { headers: { cookie } });
      expect(page.status, path).toBe(200);
      expect(page.text.includes(reference), `${path} has it as markup`).toBe(false);
      expect(page.text.includes('<b>Eve</b>'), path).toBe(false);
      expect(page.headers['cache-control'], path).toMatch(/no-store|private/);
    }
    const csv = await rawRequest(app.url, '/admin/payments/export', {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(csv.headers['content-disposition']).toContain('attachment');
    expect(csv.headers['content-type']).toContain('text/csv');
  });

  test('exports what a merchant’s server sent as text, never as a formula', async () => {
    const [{ apiKeys }] = system.tenants;
    const reference = `=HYPERLINK("https://evil.example/${randomUUID()}")`;
    const body = { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference };
    await call(`${app.url}/api/v1/payments`, apiKeys[0], { key: randomUUID(), body });
    for (const path of ['/admin/payments/export', '/admin/operations/export']) {
      const { text } = await rawRequest(app.url, path, {
        headers: { cookie, 'sec-fetch-site': 'same-origin' },
      });
      expect(text, path).toContain(`"'${reference.replaceAll('"', '""')}"`);
      expect(text, path).not.toMatch(/(^|[,;"\t])=/m);
    }
  });

  test.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example/admin',
    'javascript:alert(1)',
    '/admin//evil.example',
    '/admin\t/../../evil.example',
  ])('whom a link sends to %j after signing in stays on this site', async (next) => {
    const query = `?next=${encodeURIComponent(next)}`;
    const { text } = await rawRequest(app.url, `/admin/sign-in${query}`);
    const given = [...text.matchAll(/\\"next\\":\\"((?:[^"\\]|\\\\.)*?)\\"/g)].map(([, value]) => value);
    expect(given.length, 'the form knows where to go').toBeGreaterThan(0);
    expect(new Set(given)).toEqual(new Set(['/admin']));

    const where = { email };
    await system.db.user.update({ where, data: { twoFactorEnabled: true } });
    const {
      status,
      headers,
      text: page,
    } = await rawRequest(app.url, `/admin/second-factor${query}`, {
      headers: { cookie },
    });
    await system.db.user.update({ where, data: { twoFactorEnabled: false } });
    const target = headers.location ?? /url=([^"]+)"/.exec(page)?.[1];
    expect([status < 400, target], 'with the second factor that the page asks for').toEqual([true, '/admin']);
  });

  test('who searches for patterns waits no longer than others', async () => {
    for (const q of [
      '%'.repeat(200),
      `${'a'.repeat(150)}!`,
      '(a+)+$',
      "' OR 1=1 --",
      '\\',
      '_'.repeat(200),
    ]) {
      const began = performance.now();
      const page = await rawRequest(app.url, `/admin/operations?q=${encodeURIComponent(q)}`, {
        headers: { cookie },
      });
      expect(page.status, q).toBeLessThan(500);
      expect(performance.now() - began, q).toBeLessThan(5_000);
    }
  });
});

describe('a merchant’s server', () => {
  const good = { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference: 'r-1' };
  const deep = `{"reference":${'['.repeat(7_000)}${']'.repeat(7_000)}}`;

  test.each<[string, string]>([
    ['deep nesting', deep],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"x"'],
    ['half of an object', '{"amountMinor":1'],
    ['an amount without end', JSON.stringify(good).replace('100', '1e999')],
    ['an amount below zero', JSON.stringify({ ...good, amountMinor: -1 })],
    ['half a cent', JSON.stringify({ ...good, amountMinor: 0.5 })],
    ['an amount as text', JSON.stringify({ ...good, amountMinor: '100' })],
    ['an amount beyond exact numbers', JSON.stringify({ ...good, amountMinor: 2 ** 53 })],
    [
      'a field that is not its to set',
      JSON.stringify({ ...good, tenantId: 'x', status: 'succeeded', operationId: 'x' }),
    ],
    ['a currency of the prototype', JSON.stringify({ ...good, currency: 'constructor' })],
    ['a return to a script', JSON.stringify({ ...good, returnUrl: 'javascript:alert(1)' })],
    ['a receipt to two people', JSON.stringify({ ...good, receiptEmail: 'a@x.example,b@x.example' })],
  ])('that sends %s gets a described answer, and nothing is charged that it may not', async (_, body) => {
    const [{ apiKeys, id: tenantId }, other] = system.tenants;
    const before = await system.db.payment.count({ where: { tenantId: other.id } });
    const response = await call(`${app.url}/api/v1/payments`, apiKeys[0], { key: randomUUID(), body });
    expect([201, 400]).toContain(response.status);
    if (response.status === 201) expect(response.json.status).toBe('succeeded');
    expect(await system.db.payment.count({ where: { tenantId: other.id } })).toBe(before);
    const where = { tenantId, reference: good.reference, amountMinor: { not: 100n } };
    expect(await system.db.payment.count({ where })).toBe(0);
  });

  test.each(['__proto__', 'constructor'])(
    'that sends a payment as %s is refused, and so is an empty one after it',
    async (name) => {
      const [{ apiKeys }] = system.tenants;
      const reference = `polluted-${randomUUID()}`;
      const payment = JSON.stringify({ ...good, reference });
      const value = name === 'constructor' ? `{"prototype":${payment}}` : payment;
      for (const body of [`{"${name}":${value}}`, '{}']) {
        const { status, json } = await call(`${app.url}/api/v1/payments`, apiKeys[0], {
          ...{ key: randomUUID(), body },
        });
        expect([status, json.code], body).toEqual([400, 'invalid_request']);
        expect(json.detail).toContain('amountMinor');
      }
      expect(await system.db.payment.count({ where: { reference } })).toBe(0);
    },
  );

  test('of another tenant finds nothing by id or key, and refunds nothing', async () => {
    const [{ apiKeys }, stranger] = system.tenants;
    const key = randomUUID();
    const paid = await call(`${app.url}/api/v1/payments`, apiKeys[0], {
      key,
      body: { ...good, reference: randomUUID() },
    });
    const { paymentId, operationId } = paid.json as Record<string, string>;
    const ask = (path: string) => call(`${app.url}/api/v1/${path}`, stranger.apiKeys[0]);
    expect((await ask(`payments/${paymentId}`)).status).toBe(404);
    expect((await ask(`operations/${operationId}`)).status).toBe(404);
    expect((await ask(`operations?key=${key}`)).json).toEqual({ data: [] });
    const refund = async (id: string | undefined) => {
      const body = { paymentId: id, amountMinor: 100, reference: 'r-1' };
      const { status, json } = await call(`${app.url}/api/v1/refunds`, stranger.apiKeys[0], {
        key: randomUUID(),
        body,
      });
      return [status, json.code];
    };
    // The same as for a payment that does not exist.
    expect(await refund(paymentId)).toEqual([409, 'payment_not_refundable']);
    expect(await refund(randomUUID())).toEqual([409, 'payment_not_refundable']);
    expect(await system.db.refund.count({ where: { paymentId: String(paymentId) } })).toBe(0);
  });
});

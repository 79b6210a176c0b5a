import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';

const publicUrl = 'https://pay.example';

let system: System;
let app: AppProcess;
let behindProxy: AppProcess;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApp();
  behindProxy = await system.startApp({
    PUBLIC_URL: publicUrl,
    TRUSTED_PROXIES: '127.0.0.1',
    PROVIDER_TIMEOUT_MS: '10000',
    LEASE_MS: '30000',
  });
});
afterAll(() => system.close());

function signIn(url: string, body: object, address: string): Promise<number> {
  const origin = url === app.url ? app.url : publicUrl;
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, origin };
  return fetch(`${url}/api/auth/sign-in/email`, { method: 'POST', headers, body: JSON.stringify(body) }).then(
    async (response) => {
      await response.text();
      return response.status;
    },
  );
}

const many = <T>(count: number, one: (n: number) => T) => Array.from({ length: count }, (_, n) => one(n));
const forged = (n: number) => `203.0.113.${n}`;

describe('X-Forwarded-For', () => {
  test('of a stranger does not evade the limit of sign-ins by address', async () => {
    // Without a password nothing is hashed; a request is counted before its body is read.
    const statuses = await Promise.all(
      many(40, (n) => signIn(app.url, { email: `${n}@x.example` }, forged(n))),
    );
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('of a trusted proxy names the client, and what the client wrote before it is ignored', async () => {
    const own = await Promise.all(
      many(40, (n) => signIn(behindProxy.url, { email: `own-${n}@x.example` }, forged(n))),
    );
    expect(own).not.toContain(429);
    const one = await Promise.all(
      many(40, (n) => signIn(behindProxy.url, { email: `one-${n}@x.example` }, `${forged(n)}, 198.51.100.7`)),
    );
    expect(one.filter((status) => status === 429)).toHaveLength(10);
  });
});

test('a flood of sign-ins from many addresses is refused with 503, and a payment goes through meanwhile', async () => {
  const [{ apiKeys }] = system.tenants;
  const flood = many(300, (n) =>
    signIn(
      behindProxy.url,
      { email: `${randomUUID()}@x.example`, password: 'a password to be hashed' },
      `2001:db8:${n.toString(16)}::1`,
    ),
  );
  const paid = await call(`${behindProxy.url}/api/v1/payments`, apiKeys[0], {
    key: randomUUID(),
    body: { amountMinor: 1200, currency: 'usd', paymentMethod: 'pm_card_visa', reference: randomUUID() },
  });
  const statuses = await Promise.all(flood);
  expect(paid.status).toBe(201);
  expect(new Set(statuses)).toEqual(new Set([401, 503]));
  const hashed = statuses.filter((status) => status === 401).length;
  expect(hashed, 'most of them were never hashed').toBeLessThan(150);
});

/**
 * Sends four times as much as is allowed, never ends its body, and waits for the response. It does not go on writing: the
 * server closes the connection, and a write to a closed connection can lose the response that is on its way.
 */
function endlessPost(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
      request.destroy();
    });
    request.on('error', reject);
    request.write(Buffer.alloc(256 * 1024, 32));
  });
}

test.each(['trpc/payments.pay', 'auth/sign-in/email'])(
  'an endless body to /api/%s is refused with 413 before its end',
  async (path) => {
    expect(await endlessPost(`${app.url}/api/${path}`)).toBe(413);
  },
);

describe('headers', () => {
  const headerOf = async (url: string, name: string, headers: Record<string, string> = {}) => {
    const response = await fetch(url, { headers });
    await response.body?.cancel();
    return response.headers.get(name);
  };

  test('on https every response asks browsers to stay there; on http none does', async () => {
    for (const path of ['/', '/api/health', '/api/v1/operations', '/admin/sign-in']) {
      const name = 'strict-transport-security';
      expect(await headerOf(behindProxy.url + path, name), path).toBe('max-age=31536000');
      expect(await headerOf(app.url + path, name), path).toBeNull();
    }
  });

  test('an idle connection is kept longer than by a load balancer, which has to be the one to close it', async () => {
    for (const path of ['/', '/api/health', '/api/v1/operations']) {
      expect(await headerOf(app.url + path, 'keep-alive'), path).toBe('timeout=65');
    }
  });

  test('no cache keeps what the API says', async () => {
    for (const path of ['/api/v1/operations', '/api/trpc/shop.list', '/api/health', '/api/ready']) {
      expect(await headerOf(app.url + path, 'cache-control'), path).toContain('no-store');
    }
  });

  test('a prefetched page cannot be shown in a frame either', async () => {
    for (const prefetch of [{}, { purpose: 'prefetch' }, { 'next-router-prefetch': '1' }]) {
      const policy = await headerOf(`${app.url}/admin/sign-in`, 'content-security-policy', prefetch);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(await headerOf(`${app.url}/`, 'x-frame-options', prefetch)).toBe('DENY');
    }
  });
});

describe('the cart’s cookie', () => {
  /** Adds to the cart by the page's form, as without JavaScript. Returns the cookies that are set, by their names. */
  async function addToCart(url: string, origin: string, cookie = '') {
    const page = await (await fetch(`${url}/s/acme`)).text();
    const action = /name="(\$ACTION_ID_[0-9a-f]+)"/.exec(page)?.[1];
    expect(action).toBeDefined();
    const body = new FormData();
    for (const [name, value] of [[action ?? '', ''], ...Object.entries(mug)])
      body.set(name ?? '', value ?? '');
    const headers = { origin, cookie, 'x-forwarded-host': new URL(origin).host };
    const response = await fetch(`${url}/s/acme`, { method: 'POST', headers, body, redirect: 'manual' });
    expect(response.status).toBe(303);
    const set = response.headers.getSetCookie();
    return Object.fromEntries(set.map((one) => [one.slice(0, one.indexOf('=')), one]));
  }
  const mug = { shop: 'acme', product: 'mug', quantity: '1' };

  beforeAll(async () => {
    const product = {
      slug: 'mug',
      name: 'Mug',
      description: '',
      amountMinor: 1800,
      currency: 'eur',
      art: 'mug',
    };
    await system.db.product.create({ data: { ...product, tenantId: system.tenants[0].id } });
  });

  test('over https is this host’s own, and one from before is taken over once', async () => {
    const { '__Host-cart.acme': cookie } = await addToCart(behindProxy.url, publicUrl);
    expect(cookie).toMatch(/^__Host-cart\.acme=[^;]+; Path=\/;/);
    expect(cookie).toMatch(/; Secure; HttpOnly; SameSite=lax$/i);
    expect(cookie).not.toMatch(/domain/i);

    const before = `${randomUUID()}~mug.2`;
    const { '__Host-cart.acme': taken, ...others } = await addToCart(
      behindProxy.url,
      publicUrl,
      `cart.acme=${before}`,
    );
    expect(taken).toContain(before.replace('mug.2', 'mug.3'));
    expect(others).toEqual({ 'cart.acme': expect.stringMatching(/^cart\.acme=;.*Expires=Thu, 01 Jan 1970/) });

    const own = `${randomUUID()}~mug.4`;
    const both = await addToCart(behindProxy.url, publicUrl, `cart.acme=${before}; __Host-cart.acme=${own}`);
    expect(both['__Host-cart.acme']).toContain(own.replace('mug.4', 'mug.5'));
  });

  test('over plain http has its plain name: browsers refuse the other', async () => {
    expect(Object.keys(await addToCart(app.url, app.url))).toEqual(['cart.acme']);
  });
});

test('a reader who leaves a stream is no error in the log', async () => {
  const [{ id: tenantId }] = system.tenants;
  const { id: orderId } = await system.db.order.create({
    data: { tenantId, number: `ACME-${randomUUID().slice(0, 8)}`, amountMinor: 1450, currency: 'eur' },
  });
  const input = encodeURIComponent(JSON.stringify({ orderId }));
  for (let n = 0; n < 5; n++) {
    const leave = new AbortController();
    const response = await fetch(`${app.url}/api/trpc/payments.watchOrder?input=${input}`, {
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    leave.abort();
  }
  // Its last writes are in the log when the process has ended. No other test of this file may come after this one.
  await app.kill('SIGTERM');
  const errors = app
    .output()
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line) || /abort|ResponseAborted/i.test(line));
  expect(errors).toEqual([]);
});

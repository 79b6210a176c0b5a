import { createHmac, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { rawRequest } from './raw-request.ts';

/** Every page of the production server, opened by people who have no business there. */

/** Pages outside the console, and why they are open. The first test fails until a new page is listed. */
const openPages: Record<string, string> = {
  '/': 'the shops',
  '/s/[shop]': 'the public catalogue',
  '/s/[shop]/[product]': 'the public catalogue',
  '/s/[shop]/cart': 'the visitor’s own cookie',
  '/pay/[orderId]': 'the order’s id is the capability',
  '/orders/[orderId]': 'the order’s id is the capability',
  '/bank-return': 'says nothing about a payment',
  '/docs': 'the reference of the API',
  '/problems': 'the reference of the API',
  '/problems/[code]': 'the reference of the API',
  '/lab': 'exists in the demo only',
  '/lab/[scenario]': 'exists in the demo only',
  '/lab/x-ray': 'exists in the demo only',
  '/admin/sign-in': 'where people sign in',
  '/admin/second-factor': 'asks for a session by itself',
  '/admin/another-shop': 'asks for a session by itself',
  '/admin/no-shop': 'asks for a session by itself',
  '/admin/invitation/[token]': 'the token is the capability',
};

const app = path.resolve(import.meta.dirname, '../../app');
const files = readdirSync(app, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.name === 'page.tsx')
  .map((entry) => path.relative(app, entry.parentPath));
const addressOf = (file: string) =>
  `/${file
    .split('/')
    .filter((part) => !/^\(.*\)$/.test(part))
    .join('/')}`;
const consolePages = files
  .filter((file) => file.includes('(console)'))
  .map(addressOf)
  .map((address) => address.replace('[...missing]', 'missing'));

let system: System;
let server: AppProcess;
let mark: string;
let ids: string[];
let owner: string;
let stranger: string;

beforeAll(async () => {
  system = await openSystem();
  const secret = randomUUID().repeat(2);
  server = await system.startApp({ AUTH_SECRET: secret });
  const [victim, other] = system.tenants;
  owner = await ownerOf(victim.id, secret);
  stranger = await ownerOf(other.id, secret);
  mark = `mark-${randomUUID()}`;
  const body = { amountMinor: 100, currency: 'eur', paymentMethod: 'pm_card_visa', reference: mark };
  const paid = await call(`${server.url}/api/v1/payments`, victim.apiKeys[0], { key: randomUUID(), body });
  const { paymentId, operationId } = paid.json as { paymentId: string; operationId: string };
  const email = await system.db.email.create({
    data: {
      ...{ tenantId: victim.id, dedupeKey: mark, toAddress: 'person@example.com' },
      ...{ subject: mark, html: mark, text: mark },
    },
  });
  const event = await system.db.providerEvent.create({
    data: {
      ...{ provider: 'sandbox', eventId: mark, type: 'charge.succeeded', tenantId: victim.id, operationId },
      ...{ status: 'processed', payload: { id: mark } },
    },
  });
  ids = [paymentId, operationId, email.id, event.id];
});
afterAll(() => system.close());

/** The cookie of an owner's session. */
async function ownerOf(tenantId: string, secret: string): Promise<string> {
  const [userId, token] = [randomUUID(), randomUUID()];
  const email = `${userId}@example.com`;
  await system.db.user.create({ data: { id: userId, email, name: 'Owner', emailVerified: true } });
  await system.db.member.create({
    data: { id: userId, organizationId: tenantId, userId, role: 'owner' },
  });
  const expiresAt = new Date(Date.now() + 3_600_000);
  await system.db.session.create({ data: { id: randomUUID(), userId, token, expiresAt } });
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return `better-auth.session_token=${encodeURIComponent(`${token}.${signature}`)}`;
}

/**
 * As a browser opens a page, as Next asks for the parts of it that a browser has not got yet, and as Next prefetches it: the
 * response to that may be the names of the parts alone.
 */
const ways = {
  whole: {},
  parts: { rsc: '1' },
  prefetched: { rsc: '1', 'next-router-prefetch': '1' },
} as const;

interface Opened {
  readonly status: number;
  readonly text: string;
  readonly at: string;
  readonly way: string;
}

async function open(address: string, cookie: string): Promise<Opened[]> {
  const addresses = address.includes('[') ? ids.map((id) => address.replace(/\[\w+\]/, id)) : [address];
  return Promise.all(
    addresses.flatMap((at) =>
      Object.entries(ways).map(async ([way, headers]) => {
        const options = { headers: { cookie, ...headers } };
        let got = await rawRequest(server.url, at, options);
        // Next names the part of a page by a parameter of its own, and sends requests without it there first.
        if (got.headers.location?.startsWith(`${at}?_rsc`))
          got = await rawRequest(server.url, got.headers.location, options);
        return { status: got.status, text: got.text + JSON.stringify(got.headers), at, way };
      }),
    ),
  );
}

test('every page is one of the console, or is listed as open with a reason', () => {
  const outside = files.filter((file) => !file.includes('(console)')).map(addressOf);
  expect(outside.toSorted(), 'list it in `openPages`').toEqual(Object.keys(openPages).toSorted());
  expect(consolePages.length).toBeGreaterThan(15);
});

describe.each(consolePages)('%s', (address) => {
  test('shows a stranger the sign-in and nothing else', async () => {
    for (const { status, text, at, way } of await open(address, '')) {
      expect(status, at).toBeLessThan(500);
      expect(text, at).not.toContain(mark);
      if (way !== 'prefetched') expect(text, at).toContain('/admin/sign-in');
      expect(text, at).not.toContain('aria-label="Console"');
    }
  });

  test('shows an owner of another shop nothing of this one', async () => {
    for (const { status, text, at } of await open(address, stranger)) {
      expect(status, at).toBeLessThan(500);
      expect(text, at).not.toContain(mark);
    }
  });
});

test('while the shop’s own owner finds it on the lists, and each thing on its page', async () => {
  const pages: string[] = [];
  // One after the other: a hundred at once would wait for the database longer than a page does.
  for (const address of consolePages) {
    const opened = await open(address, owner);
    if (opened.some(({ text }) => text.includes(mark))) pages.push(address);
  }
  for (const address of consolePages.filter((one) => one.includes('['))) expect(pages).toContain(address);
  expect(pages).toEqual(expect.arrayContaining(['/admin/operations', '/admin/payments', '/admin/outbox']));
});

test.each(['t1', '%E2%82%AC', 'a%0Ab', '%00', '%', ''])(
  'an address that names the shop “%s” leads to the choice between it and the open one',
  async (name) => {
    const headers = { cookie: owner };
    const page = await rawRequest(server.url, `/admin/payments?tenant=${name}`, { headers });
    expect(page.status).toBeLessThan(500);
    expect(page.text + page.headers.location).toContain('/admin/another-shop');
    expect(page.text).not.toContain(mark);
  },
);

test.each(['/admin/second-factor', '/admin/no-shop'])('%s, without a session, is the sign-in', async (at) => {
  const opened = (await open(at, '')).filter(({ way }) => way !== 'prefetched');
  for (const { text } of opened) expect(text).toContain('/admin/sign-in');
});

test('the address of an order or an invitation is sent to no other site, kept by no cache and listed by no search engine', async () => {
  const [{ id: tenantId }] = system.tenants;
  const { id } = await system.db.order.create({
    data: { tenantId, number: `ACME-${randomUUID().slice(0, 8)}`, amountMinor: 1450, currency: 'eur' },
  });
  const [, version] = /^\w{8}-\w{4}-(\w)/.exec(id) ?? [];
  expect(version, 'it is random').toBe('4');
  for (const at of [`/orders/${id}`, `/pay/${id}`, `/admin/invitation/${'A'.repeat(43)}`]) {
    const { headers, text } = await rawRequest(server.url, at);
    expect(headers['referrer-policy'], at).toBe('same-origin');
    expect(headers['cache-control'], at).toContain('no-store');
    expect(headers['x-robots-tag'], at).toContain('noindex');
    const elsewhere = [...text.matchAll(/(?:src|href)="(https?:\/\/[^"]+)"/g)].map(([, url = '']) => url);
    expect(
      elsewhere.filter((url) => url.includes(id) && !url.startsWith(server.url)),
      at,
    ).toEqual([]);
  }
});

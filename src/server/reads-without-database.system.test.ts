import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CuttableProxy, openCuttableProxy } from '#run/testing/cuttable-proxy.ts';
import { withClient } from '#run/testing/database.ts';
import { appointOwner } from './auth/appoint-owner.ts';
import { type AppProcess, openSystem, type System } from './testing/app-process.ts';

/** I9 for reads: while the database is away, nothing is said about payments but that it is worth asking again. */
let system: System;
let proxy: CuttableProxy;
let app: AppProcess;
let signedIn: Record<string, string>;
let orderId: string;
const operationId = randomUUID();

beforeAll(async () => {
  system = await openSystem();
  proxy = await openCuttableProxy(system.database.url);
  app = await system.startApp({ DATABASE_URL: proxy.url });
  const [email, password] = ['ada@acme.example', 'a password of some length'];
  const [{ slug, apiKeys }] = system.tenants;
  await appointOwner(system.db, {
    ...{ email, password, tenant: { slug, name: undefined }, another: true, publicUrl: app.url },
  });
  const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  signedIn = { cookie, authorization: `Bearer ${apiKeys[0]}`, 'sec-fetch-site': 'same-origin' };
  orderId = randomUUID();
}, 60_000);
afterEach(() => proxy.mend());

/** As a primary that was demoted: it responds to reads, and takes no writes. */
async function setReadOnly(readOnly: boolean): Promise<void> {
  const name = new URL(system.database.url).pathname.slice(1);
  await withClient(system.database.url, async (client) => {
    await client.query('SET default_transaction_read_only = off');
    await client.query(
      `ALTER DATABASE "${name}" SET default_transaction_read_only = ${readOnly ? 'on' : 'off'}`,
    );
  });
  // The processes connect anew, as after a failover.
  proxy.cut();
  proxy.mend();
}

afterAll(async () => {
  await system.close();
  await proxy.close();
});

const input = (value: object) => encodeURIComponent(JSON.stringify(value));
const reads = () => ({
  'a payment over HTTP': `/api/v1/payments/${randomUUID()}`,
  'an operation over HTTP': `/api/v1/operations/${operationId}`,
  'an operation by its key': `/api/v1/operations?key=${randomUUID()}`,
  'an order’s payments by tRPC': `/api/trpc/payments.ofOrder?input=${input({ orderId })}`,
  'an order by tRPC': `/api/trpc/shop.order?input=${input({ orderId })}`,
  'an operation by tRPC': `/api/trpc/operation.get?input=${input({ operationId })}`,
  'the export of operations': '/admin/operations/export',
  'the export of payments': '/admin/payments/export',
  'the export of the audit log': '/admin/audit/export',
  'the pay page': `/pay/${orderId}`,
  'the receipt': `/orders/${orderId}`,
  'the shop': `/s/${system.tenants[0].slug}`,
  'the list of operations': '/admin/operations',
  'the page of an operation': `/admin/operations/${operationId}`,
});

async function read(target: string): Promise<string> {
  const response = await fetch(`${app.url}${target}`, { headers: signedIn, redirect: 'manual' });
  await response.text();
  return `${response.status} ${response.headers.get('retry-after')}`;
}

async function readAll(): Promise<Record<string, string>> {
  const entries = await Promise.all(
    Object.entries(reads()).map(async ([name, target]) => [name, await read(target)] as const),
  );
  return Object.fromEntries(entries);
}

const expected = () => Object.fromEntries(Object.keys(reads()).map((name) => [name, '503 2']));

describe('503 with Retry-After, while the database', () => {
  test('refuses connections', async () => {
    proxy.cut();
    expect(await readAll()).toEqual(expected());
  });

  test('is silent', { timeout: 60_000 }, async () => {
    proxy.silence();
    expect(await readAll()).toEqual(expected());
  });
});

test('a database that takes no writes gives what it can read, or 503, and never 500', async () => {
  await setReadOnly(true);
  try {
    // One after another, because a shop makes two exports at a time.
    for (const [name, target] of Object.entries(reads())) {
      expect(await read(target), name).toMatch(/^(503 2|(200|307|404) null)$/);
    }
  } finally {
    await setReadOnly(false);
  }
});

test('a person who signs in gets 503, not that the password is wrong', async () => {
  proxy.cut();
  const response = await fetch(`${app.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url },
    body: JSON.stringify({ email: 'ada@acme.example', password: 'a password of some length' }),
  });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '2']);
});

test('a webhook is not acknowledged: 503, and the provider sends it again', async () => {
  const event = { id: `evt_${randomUUID()}`, object: 'event', type: 'payment_intent.succeeded' };
  const payload = JSON.stringify({ ...event, data: { object: { id: 'pi_1', object: 'payment_intent' } } });
  const signature = await new Stripe('sk_unused').webhooks.generateTestHeaderStringAsync({
    payload,
    secret: system.sandbox.webhookSecret,
  });
  const deliver = async () => {
    const response = await fetch(`${app.url}/api/webhooks/stripe`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      body: payload,
    });
    return [response.status, response.headers.get('retry-after')];
  };
  proxy.cut();
  expect(await deliver()).toEqual([503, '2']);
  proxy.mend();
  expect(await deliver()).toEqual([200, null]);
});

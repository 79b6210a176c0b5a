import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness, testPassword } from '#server/testing/console-harness.ts';
import { serveTrpc } from '#server/trpc/serve.ts';
import { clientAddressHeader } from './client-address.ts';

let harness: ConsoleHarness;
let cookie: string;
let email: string;
beforeAll(async () => {
  harness = await openConsoleHarness();
  ({ cookie, email } = await harness.createMember(await harness.openShop('acme'), 'owner'));
});
afterAll(() => harness.close());

const site = 'http://127.0.0.1:3000';
const json = { 'content-type': 'application/json' };

function trpc(path: string, headers: Record<string, string>, body: BodyInit): Promise<Response> {
  const request = new Request(`${site}/api/trpc/${path}`, {
    method: 'POST',
    headers: { host: '127.0.0.1:3000', cookie, ...headers },
    body,
    duplex: 'half',
  } as RequestInit);
  return serveTrpc(harness.services, request);
}

/** Without an end, and without a Content-Length. */
function endless() {
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(16 * 1024).fill(32));
    },
  });
  return { body, pulled: () => pulled };
}

describe('a body of more than 64 KiB', () => {
  test('is refused by the procedures after 64 KiB, whether or not it says how long it is', async () => {
    const { body, pulled } = endless();
    const response = await trpc('account.endOtherSessions', json, body);
    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('close');
    expect(pulled()).toBeLessThan(10);
    const honest = await trpc('account.endOtherSessions', json, `"${'x'.repeat(70_000)}"`);
    expect(honest.status).toBe(413);
  });

  test('is refused by the sign-in as well', async () => {
    const { body, pulled } = endless();
    const request = new Request(`${site}/api/auth/sign-in/email`, {
      method: 'POST',
      headers: { ...json, origin: site },
      body,
      duplex: 'half',
    } as RequestInit);
    const response = await harness.auth.handler(request);
    expect(response.status).toBe(413);
    expect(response.headers.get('connection')).toBe('close');
    expect(pulled()).toBeLessThan(10);
  });

  test('a batch of thirty calls with long texts is far below it', async () => {
    const calls = Array.from({ length: 30 }, () => 'account.me').join(',');
    const inputs = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [n, { note: 'x'.repeat(1_000) }]));
    const url = `${site}/api/trpc/${calls}?batch=1&input=${encodeURIComponent('{}')}`;
    const read = await serveTrpc(harness.services, new Request(url, { headers: { cookie } }));
    expect(read.status).toBe(200);
    expect(JSON.stringify(inputs).length).toBeLessThan(64 * 1024);
  });
});

/** As a browser that has shown the first event. */
async function leave({ body }: Response): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    text += value ?? '';
    if (done || text.includes('data: []')) break;
  }
  await reader?.cancel();
}

test('a stranger with an order of their own cannot open streams without end', async () => {
  const { id: orderId } = await harness.db.order.create({
    data: {
      tenantId: await harness.openShop('streams'),
      number: 'ACME-1',
      amountMinor: 100,
      currency: 'eur',
    },
  });
  const address = `${site}/api/trpc/payments.watchOrder?input=${encodeURIComponent(JSON.stringify({ orderId }))}`;
  const open = (from: string) =>
    serveTrpc(harness.services, new Request(address, { headers: { [clientAddressHeader]: from } }));
  const all = await Promise.all(Array.from({ length: 210 }, (_, n) => open(`2001:db8::${n.toString(16)}`)));
  const statuses = all.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(200);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  const other = await open('203.0.113.7');
  expect(other.headers.get('content-type')).toContain('text/event-stream');

  await Promise.all([...all, other].map(leave));
  const again = await open('2001:db8::1');
  expect(again.status).toBe(200);
  await leave(again);
});

describe('a request of another site', () => {
  const mutation = 'account.endOtherSessions';

  test('changes nothing, although the browser sends the session’s cookie with it', async () => {
    const before = await harness.db.session.count();
    for (const headers of [
      { ...json, origin: 'https://evil.example' },
      { ...json, origin: 'null' },
      { ...json, 'sec-fetch-site': 'cross-site' },
    ]) {
      const response = await trpc(mutation, headers, '{}');
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ error: { data: { code: 'FORBIDDEN' } } });
    }
    expect(await harness.db.session.count()).toBe(before);
  });

  test('as a form or multipart, which browsers send without asking us, is refused', async () => {
    const form = new FormData();
    form.set('a', 'b');
    expect((await trpc(mutation, {}, form)).status).toBe(415);
    expect((await trpc(mutation, { 'content-type': 'text/plain' }, '{}')).status).toBe(415);
    const urlencoded = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await trpc(mutation, urlencoded, 'a=b')).status).toBe(415);
  });

  test('signs no visitor in, with any kind of body: a visitor would work in the account of another person', async () => {
    const bodies: [string, string][] = [
      ['application/json', JSON.stringify({ email, password: testPassword })],
      ['text/plain', JSON.stringify({ email, password: testPassword })],
      [
        'application/x-www-form-urlencoded',
        new URLSearchParams({ email, password: testPassword }).toString(),
      ],
    ];
    const origins: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    ];
    const signIn = (headers: Record<string, string>, body: string) =>
      harness.auth.handler(new Request(`${site}/api/auth/sign-in/email`, { method: 'POST', headers, body }));
    for (const [type, body] of bodies) {
      for (const origin of origins) {
        const response = await signIn({ 'content-type': type, ...origin }, body);
        const about = `${type} ${JSON.stringify(origin)}`;
        expect([400, 403, 415], about).toContain(response.status);
        expect(response.headers.getSetCookie(), about).toEqual([]);
      }
    }
    expect(await harness.db.signInLock.count(), 'none of them counts as an attempt').toBe(0);
    const [[type, body] = ['', '']] = bodies;
    expect((await signIn({ 'content-type': type, origin: site }, body)).status).toBe(200);
  });

  test('while our own pages, and programs, are served', async () => {
    expect((await trpc(mutation, { ...json, origin: site }, '{}')).status).toBe(200);
    expect((await trpc(mutation, json, '{}')).status).toBe(200);
  });
});

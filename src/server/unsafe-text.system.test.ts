import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as send } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiKinds } from '#payments/index.ts';
import { appointOwner } from './auth/appoint-owner.ts';
import { type AppProcess, openSystem, type System } from './testing/app-process.ts';

/**
 * Characters that PostgreSQL refuses or that deceive a reader, at every entry of the running system: every page and route that
 * exists under src/app, with every parameter of its path, every parameter of its address, every header that is read, and every
 * field. The procedures' fields are walked in trpc/unsafe-text.db.test.ts.
 */
const inAddress = {
  NUL: 'a%00b',
  'half of a surrogate pair': 'a%ED%A0%BDb',
  'broken UTF-8': 'a%FFb',
  'a control character': 'a%07b',
  'a mark of writing direction': 'a%E2%80%AEb',
  'a broken escape': 'a%E0%A4%A',
};
const inJson = {
  NUL: 'a\\u0000b@b.example',
  'half of a surrogate pair': 'a\\ud83d@b.example',
  'a control character': 'a\\u0007b@b.example',
  'a mark of writing direction': 'a\\u202eb@b.example',
};
const names = Object.keys(inAddress) as (keyof typeof inAddress)[];

let system: System;
let app: AppProcess;
let cookie: string;
let apiKey: string;
/** How much of the log the tests before have read. */
let readOutput = 0;

beforeAll(async () => {
  system = await openSystem();
  app = await system.startApp();
  apiKey = system.tenants[0].apiKeys[0];
  const [email, password] = ['ada@acme.example', 'a password of some length'];
  const tenant = { slug: system.tenants[0].slug, name: undefined };
  await appointOwner(system.db, { email, password, tenant, another: true, publicUrl: app.url });
  const signedIn = await call('POST', '/api/auth/sign-in/email', {
    body: JSON.stringify({ email, password }),
  });
  expect(signedIn.status).toBe(200);
  cookie = signedIn.cookies;
}, 60_000);
afterAll(() => system.close());

interface Answer {
  readonly status: number;
  readonly cookies: string;
  readonly text: string;
}

/** Node's own client: `fetch` repairs addresses before it sends them. */
function call(
  method: string,
  target: string,
  options: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(app.url);
  const headers = { origin: app.url, 'content-type': 'application/json', ...options.headers };
  return new Promise((resolve, reject) => {
    const sent = send({ hostname, port, method, path: target, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject).on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          cookies: (response.headers['set-cookie'] ?? []).map((one) => one.split(';')[0]).join('; '),
          text,
        }),
      );
    });
    sent.on('error', reject).end(options.body);
  });
}

async function expectRefused(answer: Promise<Answer>, what: string): Promise<void> {
  const { status, text } = await answer;
  expect(status, `${what}: ${text.slice(0, 300)}`).toBeLessThan(500);
}

async function expectStatus(answer: Promise<Answer>, statuses: readonly number[], what: string) {
  const { status, text } = await answer;
  expect(statuses, `${what}: ${status} ${text.slice(0, 300)}`).toContain(status);
}

async function expectNothingWritten(): Promise<void> {
  expect(await system.db.idempotencyRecord.count()).toBe(0);
  // Nor was anything of it a surprise.
  const output = app.output();
  const fresh = output.slice(readOutput);
  readOutput = output.length;
  expect(fresh).not.toMatch(/"level":(50|"error")|⨯/);
}

const root = path.resolve('src/app');
/** The addresses under src/app as Next derives them from its files, such as `/orders/[orderId]`. */
const addresses = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(^|\/)(page\.tsx|route\.ts)$/.test(file))
  .map((file) => {
    const parts = path
      .dirname(file)
      .split(path.sep)
      .filter((part) => part !== '.' && !part.startsWith('('));
    return { address: `/${parts.join('/')}`, isPage: file.endsWith('.tsx') };
  })
  .filter(({ address }) => !address.startsWith('/api/auth') && !address.startsWith('/api/trpc'));

/** All that a page or a filter could read from an address: every short name in quotes of the files that read one. */
const parameters = [
  ...new Set(
    ['app', 'console'].flatMap((folder) =>
      readdirSync(path.resolve('src', folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /(page\.tsx|route\.ts|query\.ts|filter\.ts)$/.test(file))
        .flatMap((file) => [
          ...readFileSync(path.resolve('src', folder, file), 'utf8').matchAll(/\('([a-z][a-zA-Z]{0,20})'\)/g),
        ])
        .map((match) => match[1] as string),
    ),
  ),
];

/** It explains that the link does not work, as of any link that is over. */
const invitationPage = '/admin/invitation/[token]';

test('the walk finds the entries', () => {
  expect(addresses.map(({ address }) => address)).toContain(invitationPage);
  expect(addresses.length).toBeGreaterThan(40);
  expect(parameters).toEqual(expect.arrayContaining(['key', 'q', 'status', 'from', 'before']));
});

describe.each(names)('%s', { timeout: 120_000 }, (name) => {
  const text = inAddress[name];

  test('in a path', async () => {
    for (const { address } of addresses.filter((one) => one.address.includes('['))) {
      const target = address.replaceAll(/\[[^\]]+\]/g, text);
      for (const method of address.startsWith('/api/') ? ['GET', 'POST'] : ['GET']) {
        const headers = address.startsWith('/api/') ? { authorization: `Bearer ${apiKey}` } : { cookie };
        const statuses = isText && address === invitationPage ? [200] : statusesOf(method);
        await expectStatus(call(method, target, { headers }), statuses, `${method} ${target}`);
      }
    }
    await expectNothingWritten();
  });

  /** Bytes that are no text are refused as such. All else names nothing that exists. */
  const isText = isReadable(text);
  const statusesOf = (method: string) => (isText ? [404, ...(method === 'POST' ? [405] : [])] : [400]);

  test('in the parameters of an address', async () => {
    const query = parameters.map((parameter) => `${parameter}=${text}`).join('&');
    const headers = { cookie, authorization: `Bearer ${apiKey}`, 'sec-fetch-site': 'same-origin' };
    for (const { address } of addresses) {
      const target = `${address.replaceAll(/\[[^\]]+\]/g, randomUUID())}?${query}`;
      await expectRefused(call('GET', target, { headers }), `GET ${target}`);
    }
    // Long enough for a key, so that nothing but the character is wrong with it.
    const byKey = `/api/v1/operations?key=${randomUUID()}${text}`;
    await expectStatus(call('GET', byKey, { headers }), [400], byKey);
    await expectNothingWritten();
  });

  test('in cookies and headers', async () => {
    const raw = decodeURIComponentLeniently(text);
    const headers = {
      cookie: `better-auth.session_token=${text}; better-auth.two_factor=${text}; zone=${text}; cart=${text}`,
      'accept-language': raw,
      'user-agent': raw,
      'x-forwarded-for': raw,
      authorization: `Bearer po_${raw}`,
      referer: `${app.url}/${text}`,
    };
    for (const target of [
      '/',
      '/admin',
      `/s/${system.tenants[0].slug}`,
      '/api/v1/operations',
      '/admin/sign-in',
    ]) {
      await expectRefused(call('GET', target, { headers }), target);
    }
    const { status } = await call('POST', '/api/v1/payments', {
      headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': `a-key-of-enough-length${raw}` },
      body: '{}',
    });
    expect(status).toBe(400);
    await expectNothingWritten();
  });
});

function isReadable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** As the bytes of a header: what is above one byte is sent as UTF-8, and what HTTP cannot carry is left out. */
function decodeURIComponentLeniently(text: string): string {
  return text
    .replaceAll(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '');
}

describe.each(Object.entries(inJson))('%s in a body', (_, text) => {
  test.each(apiKinds.map(({ http }) => http.collection))('of POST /api/v1/%s: 400', async (collection) => {
    const fields = [
      'currency',
      'paymentMethod',
      'reference',
      'receiptEmail',
      'returnUrl',
      'paymentId',
      'more',
    ];
    for (const field of fields) {
      const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': randomUUID() };
      const answer = await call('POST', `/api/v1/${collection}`, { headers, body: `{"${field}":"${text}"}` });
      expect([answer.status, JSON.parse(answer.text).detail]).toEqual([400, expect.stringContaining(field)]);
    }
    await expectNothingWritten();
  });

  test.each([
    '/sign-in/email',
    '/sign-out',
    '/change-password',
    '/two-factor/enable',
    '/two-factor/disable',
    '/two-factor/verify-totp',
    '/two-factor/verify-backup-code',
    '/two-factor/generate-backup-codes',
  ])('of POST /api/auth%s: refused', async (endpoint) => {
    const valid = {
      email: 'ada@acme.example',
      password: 'another password',
      newPassword: 'another password',
      currentPassword: 'another password',
      code: '123456',
      issuer: 'shop',
      callbackURL: '/admin',
    };
    for (const field of Object.keys(valid)) {
      const body = JSON.stringify({ ...valid, [field]: '?' }).replace('"?"', `"${text}"`);
      for (const headers of endpoint === '/sign-out' ? [{}] : [{ cookie }, {}]) {
        await expectRefused(call('POST', `/api/auth${endpoint}`, { headers, body }), `${endpoint} ${field}`);
      }
    }
    await expectNothingWritten();
  });
});

import { randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MailServer, openMailServer } from '#payments/outbox/testing/mail-server.ts';
import { openWebhookReceiver, type WebhookReceiver } from '#payments/outbox/testing/webhook-receiver.ts';
import { type AppProcess, call, openSystem, type System } from '../testing/app-process.ts';
import { nextTotpOf, totpOf } from '../testing/totp.ts';

/**
 * An attacker who reads the logs of all processes, at their most talkative, while payments, sign-ins, an invitation and
 * webhooks pass, the refused ones included.
 */

let system: System;
let app: AppProcess;
let api: AppProcess;
let worker: AppProcess;
let mail: MailServer;
let merchant: WebhookReceiver;

const settings = {
  AUTH_SECRET: `planted-auth-${randomUUID()}`,
  METRICS_TOKEN: `planted-metrics-${randomUUID()}`,
};
/** What each secret is, by its value. */
const planted = new Map(Object.entries(settings).map(([name, value]) => [value, name]));

function plant(what: string, value: string | undefined): string {
  expect(value?.length, what).toBeGreaterThanOrEqual(6);
  planted.set(String(value), what);
  return String(value);
}

beforeAll(async () => {
  [system, mail, merchant] = await Promise.all([
    openSystem({ sandboxLogLevel: 'trace' }),
    openMailServer(),
    openWebhookReceiver(),
  ]);
  const { smtpUrl, from } = mail.settings;
  const env = { ...settings, LOG_LEVEL: 'trace', SMTP_URL: smtpUrl, MAIL_FROM: from };
  [app, worker] = await Promise.all([system.startApp(env), system.startWorker(env)]);
  api = await system.startApi(env);
  plant('the provider’s secret key', system.sandbox.secretKey);
  plant('the provider’s webhook secret', system.sandbox.webhookSecret);
});
afterAll(async () => {
  await system.close();
  await Promise.all([mail.stop(), merchant.close()]);
});

async function send(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: app.url, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '');
  for (const cookie of cookies) {
    const value = decodeURIComponent(cookie.slice(cookie.indexOf('=') + 1));
    if (value.length > 20) plant(`the cookie ${cookie.split('=')[0]}`, value.split('.')[0]);
  }
  return { status: response.status, cookie: cookies.join('; '), json: await response.json() };
}

async function resultOf(procedure: string, input: unknown, cookie: string) {
  const { status, json } = await send(`trpc/${procedure}`, input, { cookie });
  expect(status, `${procedure} ${JSON.stringify(json)}`).toBe(200);
  return json.result.data as Record<string, string>;
}

/** An owner with a password and a second factor, who has signed in with both. */
async function signInAsOwner(): Promise<string> {
  const [userId, password] = [randomUUID(), plant('a password', `planted-${randomUUID()}`)];
  const email = `${userId}@example.com`;
  await system.db.user.create({ data: { id: userId, email, name: 'Owner', emailVerified: true } });
  await system.db.account.create({
    data: {
      ...{ id: userId, userId, accountId: userId, providerId: 'credential' },
      password: plant('the hash of a password', await hashPassword(password)),
    },
  });
  await system.db.member.create({
    data: { id: userId, organizationId: system.tenants[0].id, userId, role: 'owner' },
  });
  const wrong = plant('a wrong password', `planted-${randomUUID()}`);
  expect((await send('auth/sign-in/email', { email, password: wrong })).status).toBe(401);
  expect((await send('auth/sign-in/email', `{"password":"${wrong}`)).status).toBe(400);
  const first = await send('auth/sign-in/email', { email, password });
  const begun = await send('auth/two-factor/enable', { password }, { cookie: first.cookie });
  const secret = plant(
    'the secret of a second factor',
    new URL(begun.json.totpURI).searchParams.get('secret') ?? '',
  );
  for (const code of begun.json.backupCodes as string[]) plant('a backup code', code);
  const code = totpOf(secret);
  const on = await send('auth/two-factor/verify-totp', { code }, { cookie: first.cookie });
  expect(on.status).toBe(200);
  const half = await send('auth/sign-in/email', { email, password });
  const next = { code: nextTotpOf(secret), trustDevice: true };
  const whole = await send('auth/two-factor/verify-totp', next, { cookie: half.cookie });
  expect(whole.status).toBe(200);
  return whole.cookie;
}

async function inviteColleague(cookie: string): Promise<void> {
  const email = plant('the address of a colleague', `planted-${randomUUID()}@example.com`);
  await resultOf('people.invite', { email, role: 'viewer' }, cookie);
  await mail.receive(1);
  const { text } = await system.db.email.findFirstOrThrow({ where: { toAddress: email } });
  const token = plant('the link of an invitation', /invitation\/([\w-]{43})/.exec(text)?.[1]);
  expect((await fetch(`${app.url}/admin/invitation/${token}`)).status).toBe(200);
  const newcomer = { token, name: 'Ada', password: plant('a new password', `planted-${randomUUID()}`) };
  await resultOf('account.accept', newcomer, '');
  expect((await send('trpc/account.accept', newcomer)).status).toBeGreaterThanOrEqual(400);
}

/** Paid, declined, refused, cut off and repeated, through both servers. */
async function pay(apiKey: string): Promise<void> {
  for (const [url, paymentMethod] of [
    [app.url, 'pm_card_visa'],
    [api.url, 'pm_card_visa_chargeDeclined'],
    [api.url, 'pm_fault_charged_reset'],
    [api.url, plant('a card', `pm_planted${randomUUID().replaceAll('-', '')}`)],
  ] as const) {
    const key = plant('an idempotency key', randomUUID());
    const reference = plant('a reference', `planted-${randomUUID()}`);
    const receiptEmail = plant('the address of a shopper', `planted-${randomUUID()}@example.com`);
    const body = { amountMinor: 1200, currency: 'eur', paymentMethod, reference, receiptEmail };
    for (let n = 0; n < 2; n++) await call(`${url}/api/v1/payments`, apiKey, { key, body });
    await call(`${url}/api/v1/payments`, apiKey, { key, body: { ...body, amountMinor: 1300 } });
    await call(`${url}/api/v1/payments`, apiKey, { key, body: `{"reference":"${reference}` });
    await call(`${url}/api/v1/operations?key=${key}`, apiKey);
    const unknown = plant('an API key that does not exist', `po_${randomUUID()}`);
    expect((await call(`${url}/api/v1/payments`, unknown, { key, body })).status).toBe(401);
  }
  const { id: tenantId } = system.tenants[0];
  await expect
    .poll(() => system.db.idempotencyRecord.count({ where: { tenantId, status: 'completed' } }), {
      timeout: 30_000,
    })
    .toBe(3);
}

test('the logs of the app, the API, the worker and the sandbox hold no secret, and nothing about a person', async () => {
  const cookie = await signInAsOwner();
  await inviteColleague(cookie);
  const scopes = ['read', 'pay', 'refund'];
  const { token } = await resultOf('apiKeys.create', { name: 'Till', scopes }, cookie);
  const apiKey = plant('an API key', token);
  const address = plant('what the address of an endpoint carries', `planted-${randomUUID()}`);
  const url = `${merchant.url}?token=${address}`;
  const { secret } = await resultOf('webhookEndpoints.add', { url, eventTypes: null }, cookie);
  plant('the secret of an endpoint', secret);
  // The first delivery fails, which is logged differently.
  merchant.response = () => (merchant.received.length === 1 ? 500 : 200);
  await pay(apiKey);
  await merchant.receive(2);
  const forged = { 'stripe-signature': plant('a forged signature', `t=1,v1=${randomUUID()}`) };
  expect((await send('webhooks/stripe', { id: 'evt_forged' }, forged)).status).toBe(400);
  await expect.poll(() => mail.received.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
  await expect.poll(() => app.output(), { timeout: 30_000 }).toContain('"msg":"webhook"');
  await expect.poll(() => worker.output(), { timeout: 30_000 }).toContain('"msg":"message attempted"');

  const logs = {
    app: app.output() + app.errors(),
    api: api.output() + api.errors(),
    worker: worker.output() + worker.errors(),
    sandbox: system.sandbox.output(),
  };
  expect(planted.size).toBeGreaterThan(35);
  for (const [process, log] of Object.entries(logs))
    expect(log.split('\n').length, `the ${process} logs`).toBeGreaterThan(5);
  const found = Object.entries(logs).flatMap(([process, log]) =>
    [...planted].flatMap(([value, what]) =>
      [value, encodeURIComponent(value)]
        .filter((text) => log.includes(text))
        .map((text) => `${process}, ${what}: ${lineWith(log, text)}`),
    ),
  );
  expect(found).toEqual([]);
});

const lineWith = (log: string, value: string) => log.split('\n').find((line) => line.includes(value));

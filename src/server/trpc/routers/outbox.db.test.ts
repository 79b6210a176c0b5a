import { randomBytes, randomUUID } from 'node:crypto';
import { hashPassword } from 'better-auth/crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { house } from '../../wiring.ts';
import { createPageContext } from '../context.ts';
import { createCallerFactory } from '../init.ts';
import { outboxRouter } from './outbox.ts';

const createCaller = createCallerFactory(outboxRouter);
type Caller = ReturnType<typeof createCaller>;

const password = 'a password for tests';
let database: TestDatabase;
let acme: Tenant;
let globex: Tenant;

interface Tenant {
  readonly id: string;
  readonly operator: Caller;
  readonly viewer: Caller;
  readonly emailId: string;
  readonly deliveryId: string;
}

beforeAll(async () => {
  database = await createTestDatabase({ template: 'app' });
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
    SANDBOX_SECRET_KEY: 'sk_test_unused',
    SANDBOX_WEBHOOK_SECRET: 'whsec_unused',
    LOG_LEVEL: 'silent',
  });
  [acme, globex] = [await openTenant('acme'), await openTenant('globex')];
});
afterAll(async () => {
  await Promise.all([house().db.$disconnect(), house().signal.close()]);
  await database.drop();
});

/** A shop with an operator, a viewer, a failed e-mail, and a failed delivery to its live endpoint. */
async function openTenant(slug: string): Promise<Tenant> {
  const { db } = house();
  const { id } = await db.organization.create({ data: { id: randomUUID(), name: slug, slug } });
  const [operator, viewer] = [await signIn(id, 'operator'), await signIn(id, 'viewer')];
  await operator.setWebhookEndpoint({ url: `https://${slug}.example/hooks` });
  const failed = { tenantId: id, status: 'failed', attempts: 21, lastError: 'It did not work.' };
  const letter = { toAddress: 'ada@example.com', subject: slug, html: `<p>${slug}</p>`, text: slug };
  const email = await db.email.create({ data: { ...failed, ...letter, dedupeKey: `receipt:${slug}` } });
  const endpoint = await db.merchantWebhookEndpoint.findFirstOrThrow({ where: { tenantId: id } });
  const payment = await db.payment.create({
    data: {
      id: randomUUID(),
      tenantId: id,
      operationId: randomUUID(),
      reference: slug,
      amountMinor: 1200,
      currency: 'usd',
      paymentMethod: 'pm_card_visa',
      status: 'pending',
    },
  });
  const event = await db.outboxEvent.create({
    data: { tenantId: id, paymentId: payment.id, sourceId: payment.id, type: 'payment.succeeded' },
  });
  const delivery = await db.merchantWebhookDelivery.create({
    data: { ...failed, eventId: event.id, endpointId: endpoint.id, body: '{}' },
  });
  return { id, operator, viewer, emailId: email.id, deliveryId: delivery.id };
}

async function signIn(tenantId: string, role: string): Promise<Caller> {
  const { db, auth } = house();
  const id = randomUUID();
  const email = `${id}@example.com`;
  await db.user.create({ data: { id, email, name: role, emailVerified: true } });
  const account = { id: randomUUID(), userId: id, accountId: id, providerId: 'credential' };
  await db.account.create({ data: { ...account, password: await hashPassword(password) } });
  await db.member.create({ data: { id: randomUUID(), organizationId: tenantId, userId: id, role } });
  const answer = await auth.api.signInEmail({ body: { email, password }, asResponse: true });
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return createCaller(createPageContext(new Headers({ cookie: cookies.join('; ') })));
}

const jobs = () => house().db.$queryRaw<{ key: string }[]>`SELECT key FROM graphile_worker.jobs`;

describe('a tenant sees its own outbox and nobody else’s', () => {
  test('lists', async () => {
    expect((await acme.viewer.emails({})).map(({ id }) => id)).toEqual([acme.emailId]);
    expect((await acme.viewer.deliveries({})).map(({ id }) => id)).toEqual([acme.deliveryId]);
    expect(await acme.viewer.webhookEndpoint()).toMatchObject({ url: 'https://acme.example/hooks' });
    expect(await globex.viewer.webhookEndpoint()).toMatchObject({ url: 'https://globex.example/hooks' });
  });

  test('one e-mail', async () => {
    expect(await acme.viewer.email({ id: acme.emailId })).toMatchObject({
      html: '<p>acme</p>',
      text: 'acme',
    });
    await expect(acme.viewer.email({ id: globex.emailId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the list leaves the letters out, and nothing ever tells the secret again', async () => {
    const { secret } = await globex.operator.setWebhookEndpoint({ url: 'https://globex.example/new' });
    const seen = [
      await globex.viewer.emails({}),
      await globex.viewer.deliveries({}),
      await globex.viewer.webhookEndpoint(),
    ];
    expect(secret).toMatch(/^whsec_[\w-]{43}$/);
    expect(JSON.stringify(seen)).not.toContain(secret);
    expect(JSON.stringify(seen)).not.toContain('<p>');
  });

  test('without a session nothing is seen', async () => {
    const stranger = createCaller(createPageContext(new Headers()));
    await expect(stranger.emails({})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });
});

describe('trying again', () => {
  test('is not for another tenant’s people, nor for viewers', async () => {
    const { emailId, deliveryId } = globex;
    await expect(acme.operator.retryEmail({ id: emailId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(acme.operator.retryDelivery({ id: deliveryId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(globex.viewer.retryEmail({ id: emailId })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(globex.viewer.retryDelivery({ id: deliveryId })).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await jobs()).toEqual([]);
  });

  test('queues what failed with all its attempts, and one job, however often it is asked for', async () => {
    const { operator, emailId, deliveryId } = acme;
    await operator.retryEmail({ id: emailId });
    await operator.retryDelivery({ id: deliveryId });
    await expect(operator.retryEmail({ id: emailId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await operator.emails({ status: 'queued' })).toMatchObject([
      { id: emailId, attempts: 0, nextAttemptAt: expect.any(String) },
    ]);
    expect(await operator.deliveries({ status: 'queued' })).toMatchObject([
      { id: deliveryId, attempts: 0, nextAttemptAt: expect.any(String) },
    ]);
    expect((await jobs()).map(({ key }) => key).toSorted()).toEqual([
      `deliver_webhook:${deliveryId}`,
      `send_email:${emailId}`,
    ]);
  });
});

describe('the endpoint', () => {
  test('is set by operators only, and must be public, or loopback while the provider is the sandbox', async () => {
    const url = 'https://merchant.example';
    await expect(acme.viewer.setWebhookEndpoint({ url })).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const refused of ['http://merchant.example', 'https://10.0.0.1/', 'ftp://merchant.example']) {
      await expect(acme.operator.setWebhookEndpoint({ url: refused })).rejects.toMatchObject({
        code: 'BAD_REQUEST',
      });
    }
    await acme.operator.setWebhookEndpoint({ url: 'http://127.0.0.1:4000/hooks' });
  });

  test('set ten times at once: one is live', async () => {
    const url = 'https://merchant.example';
    await Promise.all(Array.from({ length: 10 }, () => acme.operator.setWebhookEndpoint({ url })));
    const live = { tenantId: acme.id, disabledAt: null };
    expect(await house().db.merchantWebhookEndpoint.count({ where: live })).toBe(1);
  });
});

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '#run/testing/database.ts';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { services } from '#server/services.ts';
import { createPageContext } from '../context.ts';
import { createCaller } from '../root.ts';

let database: TestDatabase;
let sandbox: TestSandbox;

beforeAll(async () => {
  [database, sandbox] = await Promise.all([createTestDatabase({ template: 'app' }), startSandbox()]);
  Object.assign(process.env, {
    DATABASE_URL: database.url,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
    RESPONSE_KEYS: `test:${randomBytes(32).toString('base64')}`,
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET_KEY: sandbox.secretKey,
    SANDBOX_WEBHOOK_SECRET: sandbox.webhookSecret,
    LOG_LEVEL: 'silent',
    PROVIDER_TIMEOUT_MS: '2000',
  });
});
afterAll(async () => {
  await services().close();
  await Promise.all([database.drop(), sandbox.stop()]);
});

/** The same services, as the demo or not, called by a page with a key. */
function caller(demo: boolean, key: string | null = null) {
  const context = createPageContext(new Headers());
  const { settings, ...rest } = context.services;
  const idempotency = { ...context.idempotency, key };
  return createCaller({ ...context, idempotency, services: { ...rest, settings: { ...settings, demo } } });
}

async function openOrder() {
  const { db } = services();
  const slug = `shop-${randomUUID().slice(0, 8)}`;
  const { id: tenantId } = await db.organization.create({ data: { id: randomUUID(), name: slug, slug } });
  const number = `SHOP-${randomUUID().slice(0, 8)}`;
  const beans = { slug: 'beans', name: 'Beans', description: 'Brown.', art: 'beans' };
  const { id: productId } = await db.product.create({
    data: { tenantId, ...beans, amountMinor: 725, currency: 'eur' },
  });
  const lines = { create: [{ productId, name: 'Beans', quantity: 2, unitAmountMinor: 725 }] };
  return db.order.create({ data: { tenantId, number, amountMinor: 1450, currency: 'eur', lines } });
}

const card = { paymentMethod: 'pm_card_visa', email: 'shopper@example.com' };

describe('outside the embedded default', () => {
  test('no procedure of the demo exists, for an order that does', async () => {
    const { id: orderId, number } = await openOrder();
    const missing = { code: 'NOT_FOUND' };
    const { demo } = caller(false);
    await expect(demo.readings({ orderId, key: randomUUID() })).rejects.toMatchObject(missing);
    await expect(demo.silence({ orderId, seconds: 10 })).rejects.toMatchObject(missing);
    await expect(demo.again({ orderId })).rejects.toMatchObject(missing);
    expect(await services().db.order.count({ where: { id: { not: orderId } } })).toBe(0);
    const silence = await fetch(`${sandbox.url}/_sandbox/silence?reference=${number}`);
    expect(await silence.json()).toEqual({ reference: number, seconds: 0 });
  });
});

describe('in the demo', () => {
  test('the readings show the record of the key and the charges in the provider’s ledger', async () => {
    const { id: orderId } = await openOrder();
    const key = randomUUID();
    const page = caller(true, key);
    expect(await page.demo.readings({ orderId, key })).toEqual({
      record: null,
      charges: [],
      silentMs: 0,
      awaitsShopper: false,
    });
    await page.payments.pay({ orderId, ...card });
    expect(await page.demo.readings({ orderId, key })).toEqual({
      record: { status: 'completed', recoveryPoint: 'finished', attempt: 1 },
      charges: [
        {
          id: expect.stringMatching(/^ch_/),
          status: 'succeeded',
          amount: { amountMinor: 1450, currency: 'eur' },
        },
      ],
      silentMs: 0,
      awaitsShopper: false,
    });
  });

  test('a silent provider charges and leaves the record unknown; the readings go on', async () => {
    const { id: orderId } = await openOrder();
    const key = randomUUID();
    const page = caller(true, key);
    await page.demo.silence({ orderId, seconds: 30 });
    expect(await page.payments.pay({ orderId, ...card })).toMatchObject({ status: 'pending' });
    const { record, charges, silentMs } = await page.demo.readings({ orderId, key });
    expect(record).toMatchObject({ status: 'unknown', recoveryPoint: 'confirm_sent' });
    expect(charges).toHaveLength(1);
    expect(silentMs).toBeGreaterThan(20_000);
  });

  test('a silence about one order does not affect another', async () => {
    const [silenced, other] = [await openOrder(), await openOrder()];
    await caller(true).demo.silence({ orderId: silenced.id, seconds: 30 });
    const paid = await caller(true, randomUUID()).payments.pay({ orderId: other.id, ...card });
    expect(paid).toMatchObject({ status: 'succeeded' });
  });

  test('the same things can be ordered again, as another order', async () => {
    const { id: orderId, tenantId } = await openOrder();
    const again = await caller(true).demo.again({ orderId });
    expect(again.orderId).not.toBe(orderId);
    const order = await services().db.order.findUniqueOrThrow({
      where: { id: again.orderId },
      include: { lines: true },
    });
    expect(order).toMatchObject({ tenantId, amountMinor: 1450n, lines: [{ name: 'Beans', quantity: 2 }] });
  });

  test('another order’s key shows nothing', async () => {
    const [mine, theirs] = [await openOrder(), await openOrder()];
    const key = randomUUID();
    await caller(true, key).payments.pay({ orderId: theirs.id, ...card });
    const { record } = await caller(true).demo.readings({ orderId: mine.id, key });
    expect(record).toBeNull();
  });
});

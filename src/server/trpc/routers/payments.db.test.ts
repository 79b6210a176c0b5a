import { randomUUID } from 'node:crypto';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { type ConsoleHarness, openConsoleHarness } from '#server/testing/console-harness.ts';
import { attemptsAnHour } from '#shop/payment-limit.ts';
import { createContext, createPageContext } from '../context.ts';
import { appRouter, createCaller } from '../root.ts';

let harness: ConsoleHarness;
let sandbox: TestSandbox;
let tenantId: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  harness = await openConsoleHarness({
    SANDBOX_URL: sandbox.url,
    SANDBOX_SECRET_KEY: sandbox.secretKey,
    SANDBOX_WEBHOOK_SECRET: sandbox.webhookSecret,
    PROVIDER_TIMEOUT_MS: '500',
  });
  tenantId = await harness.openShop('acme');
});
afterAll(() => Promise.all([harness.close(), sandbox.stop()]));

const email = 'shopper@example.com';

function shopper(key: string = randomUUID()) {
  const context = createPageContext(new Headers());
  return createCaller({ ...context, idempotency: { ...context.idempotency, key } }).payments;
}

async function openOrder() {
  const number = `ACME-${randomUUID().slice(0, 8)}`;
  return harness.db.order.create({ data: { tenantId, number, amountMinor: 1450, currency: 'eur' } });
}

async function declines(reference: string, count: number): Promise<void> {
  const declined = { status: 'declined', declineCode: 'insufficient_funds', completedAt: new Date() };
  await harness.db.payment.createMany({
    data: Array.from({ length: count }, () => ({
      ...declined,
      ...{ id: randomUUID(), operationId: randomUUID(), tenantId, reference },
      ...{ amountMinor: 1450n, currency: 'eur', paymentMethod: 'pm_card_visa' },
    })),
  });
}

const charges = async (reference: string) =>
  (await (await fetch(`${sandbox.url}/_sandbox/charges?reference=${reference}`)).json()).data as unknown[];

test('card after card on one order is refused before the provider is called, for an hour', async () => {
  const { id: orderId, number } = await openOrder();
  await declines(number, attemptsAnHour - 1);
  const twentieth = randomUUID();
  const card = { orderId, email, paymentMethod: 'pm_card_visa_chargeDeclined' };
  expect(await shopper(twentieth).pay(card)).toMatchObject({ status: 'declined' });

  const key = randomUUID();
  const another = () => shopper(key).pay({ orderId, email, paymentMethod: 'pm_card_visa' });
  await expect(another()).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    problem: { retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 3_500 && seconds <= 3_600) },
  });
  expect(await charges(number)).toEqual([expect.objectContaining({ status: 'failed' })]);
  // A stored response is still replayed.
  expect(await shopper(twentieth).pay(card)).toMatchObject({ status: 'declined' });

  await harness.db.$executeRaw`UPDATE payment SET created_at = created_at - interval '1 hour'
      WHERE tenant_id = ${tenantId} AND reference = ${number}`;
  expect(await another()).toMatchObject({ status: 'succeeded' });
});

test('a return from the bank asks the provider while the outcome is unknown, a few times a minute at most', async () => {
  const { id: orderId } = await openOrder();
  const key = randomUUID();
  const pay = shopper(key).pay({ orderId, email, paymentMethod: 'pm_fault_processing' });
  expect(await pay).toMatchObject({ status: 'pending' });
  const asked = async () => {
    await harness.services.calls.flush();
    return harness.db.providerCall.count({ where: { tenantId, call: 'retrieve' } });
  };
  const before = await asked();
  for (let n = 0; n < 10; n++) await shopper().returned({ orderId, key });
  expect((await asked()) - before).toBe(6);
  expect(await shopper().returned({ orderId, key: randomUUID() })).toEqual({ known: false });
});

test('the message of an unexpected error stays on the server', async () => {
  await harness.db.$executeRaw`ALTER TABLE shop_order RENAME TO misplaced`;
  const input = encodeURIComponent(JSON.stringify({ orderId: randomUUID() }));
  const response = await fetchRequestHandler({
    endpoint: '/api/trpc',
    router: appRouter,
    createContext,
    req: new Request(`http://127.0.0.1/api/trpc/shop.order?input=${input}`),
  });
  await harness.db.$executeRaw`ALTER TABLE misplaced RENAME TO shop_order`;
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).toContain('Something went wrong on our side.');
  expect(text).not.toMatch(/shop_order|prisma|relation/i);
});

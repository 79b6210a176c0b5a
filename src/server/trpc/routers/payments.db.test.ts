import { randomUUID } from 'node:crypto';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mintApiKey } from '#console/settings/api-key-token.ts';
import { paymentProblems } from '#payments/index.ts';
import { startSandbox, type TestSandbox } from '#run/testing/sandbox.ts';
import { postToCollection } from '#server/http-api/collections.ts';
import { type ConsoleHarness, openConsoleHarness } from '#server/testing/console-harness.ts';
import { paymentsPerHour } from '#shop/payment-limit.ts';
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
  });
  tenantId = await harness.openShop('acme');
});
afterAll(() => Promise.all([harness.close(), sandbox.stop()]));

const email = 'shopper@example.com';

function shopper(key: string = randomUUID(), clientAddress = '198.51.100.4') {
  const context = createPageContext(new Headers());
  return createCaller({ ...context, clientAddress, idempotency: { ...context.idempotency, key } }).payments;
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
      providerIntentId: `pi_${randomUUID()}`,
    })),
  });
}

const charges = async (reference: string) =>
  (await (await fetch(`${sandbox.url}/_sandbox/charges?reference=${reference}`)).json()).data as unknown[];

async function payByApi(key: string, paymentMethod: string) {
  const { token, prefix, hash } = mintApiKey();
  await harness.db.apiKey.create({ data: { tenantId, name: 'server', prefix, hash } });
  const headers = {
    authorization: `Bearer ${token}`,
    'idempotency-key': key,
    'content-type': 'application/json',
  };
  const command = { amountMinor: 700, currency: 'eur', paymentMethod, reference: `INVOICE-${key}` };
  const request = new Request('http://127.0.0.1/api/v1/payments', {
    method: 'POST',
    headers,
    body: JSON.stringify(command),
  });
  const response = await postToCollection(harness.services, request, 'payments');
  return [response.status, await response.json()] as const;
}

test('card after card on one order is refused before the provider is called, for an hour', async () => {
  const { id: orderId, number } = await openOrder();
  await declines(number, paymentsPerHour - 1);
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
  // A stored response is still replayed, however its key is written.
  for (const written of [twentieth, `"${twentieth}"`]) {
    expect(await shopper(written).pay(card)).toMatchObject({ status: 'declined' });
  }

  await harness.db.$executeRaw`UPDATE payment SET created_at = created_at - interval '1 hour'
      WHERE tenant_id = ${tenantId} AND reference = ${number}`;
  expect(await another()).toMatchObject({ status: 'succeeded' });
});

test('card after card on order after order from one address is refused before the claim; others go on paying', async () => {
  const thief = '2001:db8:7:7';
  const tried = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => {
      const { id: orderId } = await openOrder();
      const key = randomUUID();
      const card = { orderId, email, paymentMethod: 'pm_card_visa_chargeDeclined' };
      const result = await shopper(key, `${thief}::${n}`)
        .pay(card)
        .then(
          () => 'declined',
          (error: { code: string }) => error.code,
        );
      return { result, records: await harness.db.idempotencyRecord.count({ where: { tenantId, key } }) };
    }),
  );
  const refused = tried.filter(({ result }) => result === 'TOO_MANY_REQUESTS');
  expect(refused).toHaveLength(10);
  expect(refused.map(({ records }) => records)).toEqual(Array(10).fill(0));

  const { id: orderId } = await openOrder();
  const card = { orderId, email, paymentMethod: 'pm_card_visa' };
  await expect(shopper(randomUUID(), `${thief}::ff`).pay(card)).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    problem: { retryAfterSeconds: expect.toSatisfy((seconds) => seconds > 0 && seconds <= 600) },
  });
  expect(await shopper(randomUUID(), '203.0.113.50').pay(card)).toMatchObject({ status: 'succeeded' });
}, 60_000);

test.each([
  ['from many networks', (n: number) => `203.0.${n}.113`, false],
  ['in the demo', () => '198.51.100.9', true],
])(
  'retries of a key that the provider refused are limited for their order, %s',
  async (_, addressOf, demo) => {
    const { id: orderId, number } = await openOrder();
    const key = randomUUID();
    const context = createPageContext(new Headers());
    const settings = { ...context.services.settings, demo };
    const payFrom = (clientAddress: string, order: string, paymentMethod: string) =>
      createCaller({
        ...{ ...context, clientAddress, services: { ...context.services, settings } },
        idempotency: { ...context.idempotency, key },
      })
        .payments.pay({ orderId: order, email, paymentMethod })
        .then(
          ({ status }) => status,
          (error: { code: string }) => error.code,
        );
    const results: string[] = [];
    for (let n = 0; n < 40; n++) results.push(await payFrom(addressOf(n), orderId, 'pm_that_no_one_knows'));
    // The first, and twenty retries.
    expect(results).toEqual([...Array(21).fill('BAD_REQUEST'), ...Array(19).fill('TOO_MANY_REQUESTS')]);
    const { operationId } = await harness.db.payment.findFirstOrThrow({ where: { reference: number } });
    const record = await harness.db.idempotencyRecord.findFirstOrThrow({
      where: { tenantId, id: operationId },
    });
    expect(record).toMatchObject({ status: 'failed_retryable', attempt: 21 });
    // Another order is not limited by it.
    const { id: other } = await openOrder();
    expect(
      await shopper(randomUUID(), '203.0.113.99').pay({
        orderId: other,
        email,
        paymentMethod: 'pm_card_visa',
      }),
    ).toMatchObject({ status: 'succeeded' });
  },
  60_000,
);

test('payments that succeed are not limited by address', async () => {
  await harness.db.rateLimit.deleteMany();
  for (let n = 0; n < 25; n++) {
    const { id: orderId } = await openOrder();
    const paid = await shopper(randomUUID(), '203.0.113.51').pay({
      orderId,
      email,
      paymentMethod: 'pm_card_visa',
    });
    expect(paid).toMatchObject({ status: 'succeeded' });
  }
}, 60_000);

/** How many payments of the network count as failed. */
async function failedOf(network: string): Promise<number | undefined> {
  const counted = await harness.db.rateLimit.findUnique({ where: { key: `pay ${tenantId} ${network}` } });
  return counted?.count;
}

test('clicking again, and trying again while the provider is not available, are no failed payments', async () => {
  const network = '203.0.113.60';
  const { id: orderId } = await openOrder();
  const card = { orderId, email, paymentMethod: 'pm_card_visa' };
  const key = randomUUID();
  const clicks = await Promise.allSettled(Array.from({ length: 8 }, () => shopper(key, network).pay(card)));
  expect(clicks.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  expect(await failedOf(network)).toBe(0);

  const setOutage = (on: boolean) =>
    fetch(`${sandbox.url}/_sandbox/outage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ on }),
    });
  const { id: waiting } = await openOrder();
  const again = shopper(randomUUID(), network);
  await setOutage(true);
  try {
    for (let n = 0; n < 3; n++) {
      await expect(again.pay({ ...card, orderId: waiting })).rejects.toMatchObject({
        problem: { spec: { code: 'provider_unavailable' } },
      });
    }
  } finally {
    await setOutage(false);
  }
  expect(await failedOf(network)).toBe(0);
  expect(await again.pay({ ...card, orderId: waiting })).toMatchObject({ status: 'succeeded' });
});

test('payments that succeeded at the bank do not keep others of their network from paying; those that wait there do', async () => {
  const network = '203.0.113.61';
  const secured = async () => {
    const { id: orderId } = await openOrder();
    const key = randomUUID();
    const pays = shopper(key, network);
    await pays.pay({ orderId, email, paymentMethod: 'pm_card_threeDSecure2Required' });
    return { pays, orderId, key };
  };
  const confirm = async ({ pays, ...which }: Awaited<ReturnType<typeof secured>>) => {
    const { actionUrl } = (await pays.status(which)) as { actionUrl?: string };
    const page = new URL(actionUrl ?? '');
    const client_secret = page.searchParams.get('client_secret') ?? '';
    const body = new URLSearchParams({ client_secret, outcome: 'complete' });
    await fetch(page, { method: 'POST', redirect: 'manual', body });
    await pays.returned(which);
  };
  const waiting = [await secured(), await secured()];
  expect(await failedOf(network)).toBe(2);
  const reachLimit = () =>
    harness.db.rateLimit.update({
      where: { key: `pay ${tenantId} ${network}` },
      data: { count: 20 },
    });
  const { id: orderId } = await openOrder();
  const next = () => shopper(randomUUID(), network).pay({ orderId, email, paymentMethod: 'pm_card_visa' });
  await reachLimit();
  await expect(next()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  for (const one of waiting) await confirm(one);
  expect(await next()).toMatchObject({ status: 'succeeded' });
  // Each is given back once.
  await reachLimit();
  await expect(next()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
}, 60_000);

test('a payment that succeeded is reported as such, also if the limit cannot be written after it', async () => {
  await harness.db.$executeRaw`ALTER TABLE rate_limit ADD CONSTRAINT counts CHECK (count > 0) NOT VALID`;
  const { id: orderId, number } = await openOrder();
  const paid = await shopper(randomUUID(), '203.0.113.77')
    .pay({ orderId, email, paymentMethod: 'pm_card_visa' })
    .finally(() => harness.db.$executeRaw`ALTER TABLE rate_limit DROP CONSTRAINT counts`);
  expect(paid).toMatchObject({ status: 'succeeded' });
  expect(await charges(number)).toHaveLength(1);
});

test('a shopper who guesses a key of the merchant’s server does not use it up', async () => {
  const { id: orderId } = await openOrder();
  const key = randomUUID();
  const declined = { orderId, email, paymentMethod: 'pm_card_visa_chargeDeclined' };
  expect(await shopper(key).pay(declined)).toMatchObject({ status: 'declined' });

  expect(await payByApi(key, 'pm_card_visa')).toMatchObject([201, { status: 'succeeded' }]);
});

test('a merchant’s server that names no address to return to still gets one to send the shopper to', async () => {
  const [status, pending] = await payByApi(randomUUID(), 'pm_card_threeDSecure2Required');
  expect([status, pending]).toMatchObject([202, { code: 'action_required', action: { type: 'redirect' } }]);
  const page = await (await fetch(pending.action.url)).text();
  const client_secret = /name="client_secret" value="(\w+)"/.exec(page)?.[1] ?? '';
  const authenticated = await fetch(pending.action.url, {
    method: 'POST',
    body: new URLSearchParams({ client_secret, outcome: 'complete' }),
    redirect: 'manual',
  });
  const back = new URL(authenticated.headers.get('location') ?? '');
  expect(back.origin + back.pathname).toBe(`${harness.services.settings.PUBLIC_URL}/bank-return`);
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

test('an order that is cancelled after the request has arrived is not charged: the shopper has read that nothing is under way', async () => {
  const { id: orderId, number } = await openOrder();
  const pay = () => shopper().pay({ orderId, email, paymentMethod: 'pm_card_visa' });
  const isOver = async (paying: Promise<unknown>) => {
    let over = false;
    paying.then(
      () => (over = true),
      () => (over = true),
    );
    await expect
      .poll(async () => over || (await harness.db.payment.count({ where: { reference: number } })) > 0)
      .toBe(true);
  };
  // Cancelled, and not yet committed: the request still finds the order as it was.
  const paying = await harness.db.$transaction(
    async (tx) => {
      await tx.$executeRaw`UPDATE shop_order SET cancelled_at = clock_timestamp() WHERE id = ${orderId}::uuid`;
      const sent = pay();
      await isOver(sent);
      return [sent] as const;
    },
    { timeout: 20_000 },
  );
  await expect(paying[0]).rejects.toMatchObject({ problem: { spec: paymentProblems.order_cancelled } });
  expect(await charges(number)).toEqual([]);
  expect(await harness.db.payment.findFirst({ where: { reference: number } })).toMatchObject({
    status: 'released',
  });
});

test('an order that is cancelled while its payment waits for the shopper at their bank can no longer be confirmed there', async () => {
  const { id: orderId, number } = await openOrder();
  const paymentMethod = 'pm_card_threeDSecure2Required';
  await expect(shopper().pay({ orderId, email, paymentMethod })).resolves.toMatchObject({
    status: 'pending',
  });
  expect(await shopper().cancelOrder({ orderId })).toEqual({ paymentUnderWay: false });
  const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: number } });
  expect(payment.status).toBe('released');
  expect(await charges(number)).toEqual([]);
  // What the bank has already taken over is not stopped.
  const { id: other } = await openOrder();
  await shopper().pay({ orderId: other, email, paymentMethod: 'pm_fault_processing' });
  expect(await shopper().cancelOrder({ orderId: other })).toEqual({ paymentUnderWay: true });
});

test('the provider is asked for the charges of orders that were paid or tried, and not of every order that a stranger places', async () => {
  const { id: orderId } = await openOrder();
  let [asked, requests] = [0, 0];
  const context = createPageContext(new Headers());
  const { provider } = context.services;
  const counting: typeof provider = {
    ...provider,
    findCharges(wanted) {
      asked += 1;
      requests += 1 + wanted.intentIds.length;
      return provider.findCharges(wanted);
    },
  };
  const caller = createCaller({ ...context, services: { ...context.services, provider: counting } });
  expect(await caller.shop.charges({ orderId })).toEqual({ kind: 'unavailable' });
  expect(asked).toBe(0);
  expect(await harness.db.rateLimit.count({ where: { key: `charges ${orderId}` } })).toBe(0);

  await shopper().pay({ orderId, email, paymentMethod: 'pm_card_visa' });
  expect(await caller.shop.charges({ orderId })).toMatchObject({ kind: 'responded', charges: [{}] });
  expect(asked).toBe(1);

  // The same order, written in other ways.
  for (const written of [orderId, orderId.toUpperCase()])
    for (let n = 0; n < 30; n++) await caller.shop.charges({ orderId: written });
  expect(asked, 'thirty times a minute').toBe(30);

  // Each card that was tried is one more request to the provider.
  for (const cards of [5, 200]) {
    const tried = await openOrder();
    await declines(tried.number, cards);
    requests = 0;
    for (let n = 0; n < 30; n++) await caller.shop.charges({ orderId: tried.id });
    expect(requests, `after ${cards} cards`).toBe(cards === 5 ? 60 : 0);
  }
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

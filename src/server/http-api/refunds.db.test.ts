import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness } from '../testing/console-harness.ts';
import { differencesFromDescription } from '../testing/described-response.ts';
import { respond } from './routes.ts';

let harness: ConsoleHarness;
let shop: string;
const tokens = { acme: '', globex: '' };
beforeAll(async () => {
  harness = await openConsoleHarness();
  for (const slug of ['acme', 'globex'] as const) {
    const tenantId = await harness.openShop(slug);
    const owner = await harness.createMember(tenantId, 'owner');
    const scopes = ['read', 'refund'] as const;
    tokens[slug] = (await owner.call.apiKeys.create({ name: slug, scopes: [...scopes] })).token;
    if (slug === 'acme') shop = tenantId;
  }
});
afterAll(() => harness.close());

async function call(token: string, path: string, body?: object) {
  const url = `http://shop.example/api/v1/${path}`;
  const method = body ? 'POST' : 'GET';
  const headers = {
    authorization: `Bearer ${token}`,
    'idempotency-key': randomUUID(),
    'content-type': 'application/json',
  };
  const request = new Request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const response = await respond(harness.services, request);
  const text = await response.text();
  const { status } = response;
  expect(differencesFromDescription({ method, url, status, headers: response.headers, text })).toEqual([]);
  return { status, body: JSON.parse(text) };
}

/** As it is while the provider is asked. */
async function pendingRefund(amountMinor = 700) {
  const payment = await harness.db.payment.create({
    data: {
      ...{ id: randomUUID(), tenantId: shop, operationId: randomUUID(), reference: randomUUID() },
      ...{ amountMinor: 5_000n, currency: 'eur', paymentMethod: 'pm_card_visa', status: 'succeeded' },
      ...{
        completedAt: new Date(),
        providerIntentId: `pi_${randomUUID()}`,
        refundedMinor: BigInt(amountMinor),
      },
    },
  });
  return harness.db.refund.create({
    data: {
      ...{ id: randomUUID(), tenantId: shop, paymentId: payment.id, operationId: randomUUID() },
      ...{ reference: 'return-1', amountMinor: BigInt(amountMinor), status: 'pending' },
    },
  });
}

test('a refund is read by its id, as it stands, and by its own shop only', async () => {
  const { id, paymentId, operationId, createdAt } = await pendingRefund();
  expect(await call(tokens.acme, `refunds/${id}`)).toEqual({
    status: 200,
    body: {
      ...{ refundId: id, paymentId, operationId, status: 'pending', amountMinor: 700, currency: 'eur' },
      ...{ reference: 'return-1', createdAt: createdAt.toISOString(), completedAt: null },
    },
  });
  expect(await call(tokens.globex, `refunds/${id}`)).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});

test('another key for the reference of a refund gets the id under which that refund is read', async () => {
  const { id, paymentId } = await pendingRefund();
  const again = { paymentId, reference: 'return-1', amountMinor: 700 };
  const refused = await call(tokens.acme, 'refunds', again);
  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'refund_exists_for_reference', refundId: id, refundStatus: 'pending' },
  });
  expect(await call(tokens.acme, `refunds/${refused.body.refundId}`)).toMatchObject({ status: 200 });
});

test.each([
  ['the whole payment', 5_000, undefined],
  ['more than is left beside it', 3_000, 3_000],
])(
  'another key for the reference of a refund of %s hears of that refund, not of what is left',
  async (_, taken, amountMinor) => {
    const { id, paymentId } = await pendingRefund(taken);
    expect(
      await call(tokens.acme, 'refunds', { paymentId, reference: 'return-1', amountMinor }),
    ).toMatchObject({
      status: 409,
      body: { code: 'refund_exists_for_reference', refundId: id, newKey: 'unsafe' },
    });
    expect(
      (await call(tokens.acme, 'refunds', { paymentId, reference: 'return-2', amountMinor })).body.code,
    ).toBe(amountMinor ? 'refund_exceeds_payment' : 'payment_not_refundable');
  },
);

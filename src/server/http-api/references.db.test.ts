import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleHarness, openConsoleHarness } from '../testing/console-harness.ts';
import { postToCollection } from './collections.ts';

/** References that mean something beside the merchant's own program: no server of a provider listens, so nothing is charged. */
let harness: ConsoleHarness;
let tenantId: string;
let token: string;
beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
  const owner = await harness.createMember(tenantId, 'owner');
  ({ token } = await owner.call.apiKeys.create({ name: 'all', scopes: ['read', 'pay', 'refund'] }));
});
afterAll(() => harness.close());

async function post(collection: string, body: object) {
  const request = new Request(`http://shop.example/api/v1/${collection}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  const response = await postToCollection(harness.services, request, collection);
  return { status: response.status, ...((await response.json()) as { code: string; detail: string }) };
}

test('an order is paid through the API for its own amount and currency only, and stays payable', async () => {
  const number = 'ACME-2345ABCD';
  await harness.db.order.create({ data: { tenantId, number, amountMinor: 5_400n, currency: 'usd' } });
  const own = { amountMinor: 5_400, currency: 'usd', paymentMethod: 'pm_card_visa', reference: number };
  for (const other of [
    { ...own, amountMinor: 50 },
    { ...own, currency: 'eur' },
  ]) {
    expect(await post('payments', other)).toMatchObject({ status: 409, code: 'order_amount_differs' });
  }
  const payments = await harness.db.payment.findMany({ where: { tenantId, reference: number } });
  expect(payments.map(({ status, providerIntentId }) => [status, providerIntentId])).toEqual([
    ['released', null],
    ['released', null],
  ]);
  // Only now the provider is called.
  expect(await post('payments', own)).toMatchObject({ status: 503, code: 'provider_unavailable' });
});

test('what the shop keeps of a payment that had ended unpaid is not charged again, and the response says so', async () => {
  const payment = {
    amountMinor: 5_400,
    currency: 'usd',
    paymentMethod: 'pm_card_visa',
    reference: 'invoice-1',
  };
  expect(await post('payments', payment)).toMatchObject({ status: 503, code: 'provider_unavailable' });
  const { id: paymentId } = await harness.db.payment.findFirstOrThrow({
    where: { tenantId, reference: payment.reference, status: 'released' },
  });
  await harness.db.reconciliationException.create({
    data: { tenantId, paymentId, intentId: 'pi_found', reason: 'charged_after_release', status: 'dismissed' },
  });
  expect(await post('payments', payment)).toMatchObject({
    ...{ status: 409, code: 'payment_exists_for_reference', newKey: 'unsafe' },
    ...{ paymentId, paymentStatus: 'kept', detail: expect.stringContaining('nothing more is due') },
  });
  expect(await post('payments', { ...payment, reference: 'invoice-2' })).toMatchObject({ status: 503 });
});

test('a merchant’s refund never has a reference of the console’s or the dashboard’s refunds', async () => {
  const refund = (reference: string) => post('refunds', { paymentId: randomUUID(), reference });
  for (const reference of ['console-1', 'console-2', ' console-1', 'dashboard-re_1']) {
    const refused = await refund(reference);
    expect(refused, reference).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(refused.detail).toContain('reference: must not begin with console-');
  }
  for (const reference of ['return-1', 'Console-1', 'my-console-1', 'console']) {
    expect(await refund(reference), reference).toMatchObject({ status: 409, code: 'payment_not_refundable' });
  }
});

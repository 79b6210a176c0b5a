import { afterAll, beforeAll, expect, test } from 'vitest';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../testing/harness.ts';
import { openRawProvider, returnUrl } from '../testing/raw-provider.ts';
import { createStripeProvider } from './provider.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

test('all charges under a reference are found, also of intents that we do not know of', async () => {
  const payCommand = command({ paymentMethod: 'pm_card_chargeDeclined' });
  bodyOf(await harness.pay(payCommand, newKey()));
  const paid = bodyOf(await harness.pay({ ...payCommand, paymentMethod: 'pm_card_visa' }, newKey()));
  const row = await harness.db.payment.findFirstOrThrow({
    where: { tenantId: harness.tenantId, id: String(paid.paymentId) },
  });
  const wanted = { tenantId: harness.tenantId, reference: payCommand.reference };
  for (const intentIds of [[], [row.providerIntentId ?? '']]) {
    const result = await harness.provider.findCharges({ ...wanted, intentIds });
    if (result.kind !== 'responded') throw new Error(`The sandbox was ${result.kind}.`);
    // Charges of the same second have no order.
    expect(result.charges.map(({ state }) => state).sort()).toEqual(['failed', 'succeeded']);
    expect(result.charges.find(({ state }) => state === 'succeeded')).toMatchObject({
      id: row.providerChargeId,
      amountMinor: 1200,
      refundedMinor: 0,
      currency: 'usd',
      card: { brand: 'visa', last4: '4242' },
    });
  }
});

test('the same reference of another tenant is not found', async () => {
  const payCommand = command();
  bodyOf(await harness.pay(payCommand, newKey()));
  const wanted = { tenantId: 'another-tenant', reference: payCommand.reference, intentIds: [] };
  expect(await harness.provider.findCharges(wanted)).toEqual({ kind: 'responded', charges: [] });
});

test('a provider that does not respond times out soon, and that is not taken for no charges', async () => {
  const unresponsive = await openRawProvider();
  unresponsive.respond = () => undefined;
  const provider = createStripeProvider({
    secretKey: 'sk_test',
    baseUrl: unresponsive.url,
    timeoutMs: 60_000,
    returnUrl,
  });
  const wanted = { tenantId: 't', reference: 'r', intentIds: ['pi_1'] };
  const startedAt = performance.now();
  expect(await provider.findCharges(wanted)).toMatchObject({ kind: 'ambiguous' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await unresponsive.close();
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStripeProvider } from './provider.ts';
import { openRawProvider } from '../testing/raw-provider.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '../testing/harness.ts';

let stand: PaymentStand;
beforeAll(async () => {
  stand = await openPaymentStand();
});
afterAll(() => stand.close());

test('the provider tells what it charged under a reference, also under intents nobody told us of', async () => {
  const wish = command({ paymentMethod: 'pm_card_chargeDeclined' });
  answered(await stand.pay(wish, newKey()));
  const paid = answered(await stand.pay({ ...wish, paymentMethod: 'pm_card_visa' }, newKey()));
  const row = await stand.db.payment.findUniqueOrThrow({ where: { id: String(paid.paymentId) } });
  const wanted = { tenantId: stand.tenantId, reference: wish.reference };
  for (const intentIds of [[], [row.providerIntentId ?? '']]) {
    const asked = await stand.provider.findCharges({ ...wanted, intentIds });
    if (asked.kind !== 'answered') throw new Error(`The sandbox was ${asked.kind}.`);
    // Within one second the order of two charges is not told.
    expect(asked.charges.map(({ state }) => state).sort()).toEqual(['failed', 'succeeded']);
    expect(asked.charges.find(({ state }) => state === 'succeeded')).toMatchObject({
      id: row.providerChargeId,
      amountMinor: 1200,
      refundedMinor: 0,
      currency: 'usd',
      card: { brand: 'visa', last4: '4242' },
    });
  }
});

test('the same reference of another tenant is none of ours', async () => {
  const wish = command();
  answered(await stand.pay(wish, newKey()));
  const asked = { tenantId: 'somebody else', reference: wish.reference, intentIds: [] };
  expect(await stand.provider.findCharges(asked)).toEqual({ kind: 'answered', charges: [] });
});

test('a provider that is silent is given up soon, and is not taken for one that charged nothing', async () => {
  const silent = await openRawProvider();
  silent.respond = () => undefined;
  const provider = createStripeProvider({ secretKey: 'sk_test', baseUrl: silent.url, timeoutMs: 60_000 });
  const asked = { tenantId: 't', reference: 'r', intentIds: ['pi_1'] };
  const startedAt = performance.now();
  expect(await provider.findCharges(asked)).toMatchObject({ kind: 'ambiguous' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  await silent.close();
});

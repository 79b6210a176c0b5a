import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { createChargeComparison } from './charges.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const compare = () =>
  createChargeComparison(harness.db, { provider: 'sandbox', SANDBOX_URL: harness.sandbox.url })();
const agreed = { chargesWithoutPayment: 0, paymentsWithoutCharge: 0 };

/** A charge with our metadata, of a tenant that has no payment for it. */
async function chargeElsewhere(): Promise<void> {
  const response = await fetch(`${harness.sandbox.url}/v1/payment_intents`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
    body: new URLSearchParams({
      ...{ amount: '1200', currency: 'usd', payment_method: 'pm_card_visa', confirm: 'true' },
      ...{ return_url: 'https://shop.example', 'metadata[paidonce_tenant]': randomUUID() },
    }),
  });
  expect(response.status).toBe(200);
}

/** Has the payment booked with an intent that the provider does not have. */
async function moveIntent(paymentId: unknown, intentId: string): Promise<void> {
  await harness.db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    await tx.$executeRaw`
      UPDATE payment SET provider_intent_id = ${intentId} WHERE id = ${String(paymentId)}::uuid`;
  });
}

test('a charge without a payment and a payment without a charge are two differences, not none', async () => {
  for (let paid = 0; paid < 5; paid += 1) await harness.pay(command(), newKey());
  const { paymentId } = bodyOf(await harness.pay(command(), newKey()));
  expect(await compare()).toEqual(agreed);
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({
    where: { id: String(paymentId) },
  });
  await moveIntent(paymentId, 'pi_that_the_provider_does_not_have');
  expect(await compare()).toEqual({ chargesWithoutPayment: 1, paymentsWithoutCharge: 1 });
  await moveIntent(paymentId, String(providerIntentId));
  expect(await compare()).toEqual(agreed);
  await chargeElsewhere();
  expect(await compare()).toEqual({ chargesWithoutPayment: 1, paymentsWithoutCharge: 0 });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { flagLateTruth } from './flag-exception.ts';
import { refundLateTruth } from './refund-exception.ts';

let stand: PaymentStand;
beforeAll(async () => {
  stand = await openPaymentStand();
});
afterAll(() => stand.close());

async function refundsOf(reference: string): Promise<unknown[]> {
  const response = await fetch(`${stand.sandbox.url}/_sandbox/refunds?reference=${reference}`);
  return ((await response.json()) as { data: unknown[] }).data;
}

test('a payment that succeeds for a cancelled order is booked, flagged, and refunded once however often it is asked for', async () => {
  const wish = command();
  await stand.db.order.create({
    data: {
      tenantId: stand.tenantId,
      number: wish.reference,
      amountMinor: wish.amountMinor,
      currency: wish.currency,
      cancelledAt: new Date(),
    },
  });
  answered(await stand.pay(wish, newKey()));
  const late = await stand.db.lateTruth.findFirstOrThrow({
    where: { payment: { reference: wish.reference } },
  });
  expect(late).toMatchObject({ status: 'open', reason: 'order_cancelled' });

  const clicks = await Promise.all(
    [1, 2, 3].map(() => refundLateTruth(stand, stand.tenantId, late.id, { actor: 'operator:1' })),
  );
  expect(clicks.some(({ kind }) => kind === 'refunded')).toBe(true);
  expect(await refundsOf(wish.reference)).toHaveLength(1);
  const again = await refundLateTruth(stand, stand.tenantId, late.id, { actor: 'operator:2' });
  expect(again).toEqual({ kind: 'not_open' });
  const entries = await stand.db.ledgerEntry.findMany({ where: { payment: { reference: wish.reference } } });
  expect(entries.reduce((sum, entry) => sum + entry.amountMinor, 0n)).toBe(0n);
  expect(entries.filter((entry) => entry.kind === 'refund')).toHaveLength(2);
});

test('money taken for a payment that was released is flagged once, kept out of the books, and can be sent back', async () => {
  const wish = command({ paymentMethod: 'pm_fault_rate_limited' });
  const key = newKey();
  await stand.pay(wish, key);
  const payment = await stand.db.payment.findFirstOrThrow({ where: { reference: wish.reference } });
  expect(payment.status).toBe('released');
  // Somebody confirms the intent behind our back, in the provider's own dashboard.
  const intentId = payment.providerIntentId ?? '';
  const confirmed = await fetch(`${stand.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${stand.sandbox.secretKey}` },
    body: new URLSearchParams({ payment_method: 'pm_card_visa' }),
  });
  expect(await confirmed.json()).toMatchObject({ status: 'succeeded' });

  expect(await flagLateTruth(stand, payment.operationId, intentId)).toBe(true);
  expect(await flagLateTruth(stand, payment.operationId, intentId)).toBe(false);
  expect(await stand.db.ledgerEntry.count({ where: { paymentId: payment.id } })).toBe(0);
  const late = await stand.db.lateTruth.findFirstOrThrow({ where: { intentId } });
  expect(await refundLateTruth(stand, stand.tenantId, late.id, { actor: 'operator:1' })).toEqual({
    kind: 'refunded',
  });
  expect(await refundsOf(wish.reference)).toHaveLength(1);
});

test("another tenant's late truth cannot be refunded", async () => {
  const wish = command();
  await stand.pay(wish, newKey());
  const payment = await stand.db.payment.findFirstOrThrow({ where: { reference: wish.reference } });
  const late = await stand.db.lateTruth.create({
    data: { tenantId: stand.tenantId, paymentId: payment.id, intentId: 'pi_x', reason: 'order_cancelled' },
  });
  expect(await refundLateTruth(stand, 'somebody else', late.id, { actor: 'operator:1' })).toEqual({
    kind: 'not_open',
  });
});

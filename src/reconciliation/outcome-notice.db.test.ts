import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInvestigators, openException } from '#payments/index.ts';
import { consumeEvent, createConsumers } from '#payments/outbox/index.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let reconciler: Reconciler;
beforeAll(async () => {
  harness = await openPaymentHarness();
  reconciler = createReconciler({ ...harness, investigators: createInvestigators(harness) });
});
afterAll(() => harness.close());

const describePurchase = async () => ({
  orderedAt: new Date(),
  orderUrl: 'https://shop.example/1',
  lines: [],
});

/** A payment whose outcome was unknown, and which was released: its events have not been consumed. */
async function released() {
  const receiptEmail = 'ada@example.com';
  const outcome = await harness.pay(
    command({ paymentMethod: 'pm_fault_not_charged_500', receiptEmail }),
    newKey(),
  );
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${outcome.kind}.`);
  const { operationId } = outcome;
  expect(await reconciler.reconcile(harness.refOf(operationId), 'test')).toMatchObject({ kind: 'released' });
  return harness.db.payment.findFirstOrThrow({ where: { operationId }, include: { events: true } });
}

async function emailsOf({ id, events }: Awaited<ReturnType<typeof released>>) {
  const consumers = createConsumers({ describePurchase, consumers: {} });
  for (const event of events) await consumeEvent(harness.db, event, consumers);
  return harness.db.email.count({ where: { dedupeKey: { startsWith: `not_charged:${id}` } } });
}

test.each([
  ['open', 0],
  ['dismissed', 0],
  ['refunded', 1],
])(
  'the shopper gets no e-mail that nothing was charged while the shop checks a charge that was found, or keeps it: %s',
  async (status, emails) => {
    expect(await emailsOf(await released())).toBe(1);
    const charged = await released();
    const about = { tenantId: harness.tenantId, paymentId: charged.id, intentId: `pi_${charged.id}` };
    await openException(harness.db, { ...about, reason: 'charged_after_release' });
    await harness.db.reconciliationException.updateMany({ where: about, data: { status } });
    expect(await emailsOf(charged)).toBe(emails);
  },
);

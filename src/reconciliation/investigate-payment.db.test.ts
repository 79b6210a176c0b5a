import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentProvider, ProviderResult } from '#payments/index.ts';
import { command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/stand.ts';
import { createPaymentInvestigator } from './investigate-payment.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let stand: PaymentStand;
let reconciler: Reconciler;
beforeAll(async () => {
  stand = await openPaymentStand();
  reconciler = createReconciler({ ...stand, investigators: [createPaymentInvestigator(stand)] });
});
afterAll(() => stand.close());

const waiting = { kind: 'still_unknown', code: 'provider_requires_action' };
const fenced = { kind: 'released', cause: 'payment_fenced' };

/** Sends the shopper to their bank, as the first attempt or as the next. */
async function payByBank(wish: ReturnType<typeof command>, key: string): Promise<string> {
  const outcome = await stand.pay(wish, key);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  return outcome.operationId;
}

/** The time machine: everything about the operation was written that much earlier. */
async function age(operationId: string, minutes: number): Promise<void> {
  await stand.db.$executeRaw`
    UPDATE idempotency_record SET updated_at = updated_at - ${minutes}::int * interval '1 minute'
    WHERE id = ${operationId}::uuid`;
  await stand.db.$executeRaw`
    UPDATE payment SET created_at = created_at - ${minutes}::int * interval '1 minute'
    WHERE operation_id = ${operationId}::uuid`;
}

test('a shopper has an hour at the bank’s page from the attempt that sent them there, however old the payment is', async () => {
  const wish = command({ paymentMethod: 'pm_card_threeDSecure2Required' });
  const key = newKey();
  const operationId = await payByBank(wish, key);
  await age(operationId, 59);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(waiting);
  await age(operationId, 2);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(fenced);

  expect(await payByBank(wish, key)).toBe(operationId);
  expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown', attempt: 2 });
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(waiting);
  await age(operationId, 59);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(waiting);
  await age(operationId, 2);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(fenced);
  expect(await stand.sandbox.charges(wish.reference)).toEqual([]);
});

test('a webhook that beats the answer books no more than the answer may: other money waits for a person', async () => {
  const lying = (told: ProviderResult): ProviderResult =>
    told.kind === 'answered' ? { ...told, intent: { ...told.intent, amountMinor: 1 } } : told;
  const provider: PaymentProvider = {
    ...stand.provider,
    retrieveIntent: async (...asked) => lying(await stand.provider.retrieveIntent(...asked)),
    async confirmIntent(intentId, request) {
      const told = lying(await stand.provider.confirmIntent(intentId, request));
      heard = await deceived.reconcile(request.operationId, 'webhook:evt_1');
      return told;
    },
  };
  let heard: unknown;
  const investigators = [createPaymentInvestigator({ db: stand.db, provider })];
  const deceived = createReconciler({ ...stand, investigators });
  const contradictory = { kind: 'still_unknown', code: 'contradictory' };

  const outcome = await stand.pay(command(), newKey(), provider);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  const { operationId } = outcome;
  expect(heard).toEqual(contradictory);
  expect(await deceived.reconcile(operationId, 'poller')).toEqual(contradictory);
  expect(await stand.db.ledgerEntry.count({ where: { payment: { operationId } } })).toBe(0);
  expect(await reconciler.reconcile(operationId, 'poller')).toMatchObject({ kind: 'settled' });
});

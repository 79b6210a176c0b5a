import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createPaymentInvestigator } from '#payments/operations/create-payment/investigate.ts';
import { createRefundInvestigator } from '#payments/operations/create-refund/investigate.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let stand: PaymentStand;
let reconciler: Reconciler;
beforeAll(async () => {
  stand = await openPaymentStand({ providerTimeoutMs: 400 });
  const investigators = [createPaymentInvestigator(stand), createRefundInvestigator(stand)];
  reconciler = createReconciler({ ...stand, investigators });
});
afterAll(() => stand.close());

async function payInto(paymentMethod: string) {
  const wish = command({ paymentMethod });
  const key = newKey();
  const outcome = await stand.pay(wish, key);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  return { wish, key, operationId: outcome.operationId };
}

describe('an unknown outcome', () => {
  test.each([
    'pm_fault_charged_no_answer',
    'pm_fault_charged_reset',
    'pm_fault_charged_500',
    'pm_fault_truncated_answer',
  ])(
    '%s: reconciliation finds the charge and completes the operation, with one charge and one event',
    async (paymentMethod) => {
      const { wish, key, operationId } = await payInto(paymentMethod);
      expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
      expect(await stand.pay(wish, key)).toEqual({ kind: 'pending', operationId, why: 'unknown' });

      expect(await reconciler.reconcile(operationId, 'test')).toEqual({
        kind: 'settled',
        cause: 'provider_succeeded',
      });
      const replay = await stand.pay(wish, key);
      expect(replay).toMatchObject({ kind: 'answered', replayed: true });
      expect(answered(replay)).toMatchObject({ status: 'succeeded', operationId });
      expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
      const payment = await stand.db.payment.findUniqueOrThrow({
        where: { operationId },
        include: { ledger: true, events: true },
      });
      expect(payment.ledger.reduce((sum, entry) => sum + entry.amountMinor, 0n)).toBe(0n);
      expect([payment.status, payment.ledger.length, payment.events.length]).toEqual(['succeeded', 2, 1]);
      // Whoever finds the charge finds the card with it: the receipt is the same as after an ordinary success.
      expect(payment).toMatchObject({ cardBrand: 'visa', cardLast4: '4242' });
    },
  );

  test.each(['pm_fault_not_charged_no_answer', 'pm_fault_not_charged_500'])(
    '%s: the intent is fenced before the key is released, and the retry opens a new generation',
    async (paymentMethod) => {
      const { wish, key, operationId } = await payInto(paymentMethod);
      const before = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
      expect(await reconciler.reconcile(operationId, 'test')).toEqual({
        kind: 'released',
        cause: 'payment_fenced',
      });

      const fenced = await stand.provider.retrieveIntent(before.providerIntentId ?? '');
      expect(fenced).toMatchObject({ kind: 'answered', intent: { state: 'canceled' } });
      const after = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
      expect(after).toMatchObject({ status: 'released', generation: 2, providerIntentId: null });

      await stand.pay(wish, key);
      const retried = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
      expect(retried).toMatchObject({ status: 'pending', generation: 2 });
      expect(retried.providerIntentId).not.toBe(before.providerIntentId);
    },
  );

  test('two reconcilers at once: one settles, the other finds nothing to do', async () => {
    const { wish, operationId } = await payInto('pm_fault_charged_no_answer');
    const found = await Promise.all([1, 2, 3, 4].map((n) => reconciler.reconcile(operationId, `test-${n}`)));
    expect(found.filter((result) => result.kind === 'settled')).toHaveLength(1);
    expect(found.filter((result) => result.kind === 'nothing_to_do')).toHaveLength(3);
    const events = await stand.db.outboxEvent.findMany({ where: { payment: { reference: wish.reference } } });
    expect(events).toHaveLength(1);
  });

  test('stays unknown while the provider cannot be asked: absence is never proof', async () => {
    const { operationId } = await payInto('pm_fault_charged_no_answer');
    await stand.sandbox.control('outage', { on: true, mode: '503' });
    const during = await reconciler.reconcile(operationId, 'test');
    await stand.sandbox.control('outage', { on: false });
    expect(during).toMatchObject({ kind: 'still_unknown' });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
    expect(await reconciler.reconcile(operationId, 'test')).toEqual({
      kind: 'settled',
      cause: 'provider_succeeded',
    });
  });

  test.each(['retrieveIntent', 'cancelIntent'] as const)(
    'stays unknown when %s is refused: that is about the question, not about the money',
    async (question) => {
      const { operationId } = await payInto('pm_fault_not_charged_500');
      const provider = {
        ...stand.provider,
        [question]: async () => ({ kind: 'rejected', code: 'api_key_expired' }),
      };
      const investigators = [createPaymentInvestigator({ ...stand, provider })];
      const refused = createReconciler({ ...stand, investigators });
      expect(await refused.reconcile(operationId, 'test')).toEqual({
        kind: 'still_unknown',
        code: 'api_key_expired',
        noWord: true,
      });
      expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
      expect(await reconciler.reconcile(operationId, 'test')).toMatchObject({ kind: 'released' });
    },
  );

  test('the verdict leaves an event with the actor and the evidence', async () => {
    const { operationId } = await payInto('pm_fault_charged_no_answer');
    await reconciler.reconcile(operationId, 'operator:42');
    const events = await stand.db.idempotencyEvent.findMany({
      where: { recordId: operationId },
      orderBy: { id: 'asc' },
    });
    expect(events.map((event) => event.recoveryPoint)).toEqual([
      'claimed',
      'intent_created',
      'confirm_sent',
      'confirm_sent',
      'finished',
    ]);
    expect(events.at(-1)).toMatchObject({
      fromStatus: 'unknown',
      toStatus: 'completed',
      actor: 'operator:42',
      cause: 'provider_succeeded',
      evidence: { state: 'succeeded' },
    });
  });
});

test('an operation that is not unknown is left alone', async () => {
  const outcome = await stand.pay(command(), newKey());
  if (outcome.kind !== 'answered') throw new Error('expected an answer');
  expect(await reconciler.reconcile(outcome.operationId, 'test')).toEqual({
    kind: 'nothing_to_do',
    status: 'completed',
  });
});

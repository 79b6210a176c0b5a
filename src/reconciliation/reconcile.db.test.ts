import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createInvestigators, createPaymentKind } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let reconciler: Reconciler;
beforeAll(async () => {
  harness = await openPaymentHarness({ providerTimeoutMs: 1_000 });
  const investigators = createInvestigators(harness);
  reconciler = createReconciler({ ...harness, investigators });
});
afterAll(() => harness.close());

async function payUnknown(paymentMethod: string) {
  const payCommand = command({ paymentMethod });
  const key = newKey();
  const outcome = await harness.pay(payCommand, key);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  return { payCommand, key, operationId: outcome.operationId };
}

describe('an unknown outcome', () => {
  test.each([
    'pm_fault_charged_no_response',
    'pm_fault_charged_reset',
    'pm_fault_charged_500',
    'pm_fault_truncated_response',
  ])(
    '%s: reconciliation finds the charge and completes the operation, with one charge and one event',
    async (paymentMethod) => {
      const { payCommand, key, operationId } = await payUnknown(paymentMethod);
      expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
      expect(await harness.pay(payCommand, key)).toEqual({ kind: 'pending', operationId, status: 'unknown' });

      expect(await reconciler.reconcile(harness.refOf(operationId), 'test')).toEqual({
        kind: 'completed',
        cause: 'provider_succeeded',
      });
      const replay = await harness.pay(payCommand, key);
      expect(replay).toMatchObject({ kind: 'completed', replayed: true });
      expect(bodyOf(replay)).toMatchObject({ status: 'succeeded', operationId });
      expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
      const payment = await harness.db.payment.findFirstOrThrow({
        where: { operationId },
        include: { ledger: true, events: true },
      });
      expect(payment.ledger.reduce((sum, entry) => sum + entry.amountMinor, 0n)).toBe(0n);
      expect([payment.status, payment.ledger.length, payment.events.length]).toEqual(['succeeded', 2, 1]);
      // Reconciliation finds the card with the charge: the receipt is the same as after an ordinary success.
      expect(payment).toMatchObject({ cardBrand: 'visa', cardLast4: '4242' });
    },
  );

  test.each(['pm_fault_not_charged_no_response', 'pm_fault_not_charged_500'])(
    '%s: the intent is cancelled before the key is released, and the retry opens a new generation',
    async (paymentMethod) => {
      const { payCommand, key, operationId } = await payUnknown(paymentMethod);
      const before = await harness.db.payment.findFirstOrThrow({ where: { operationId } });
      expect(await reconciler.reconcile(harness.refOf(operationId), 'test')).toEqual({
        kind: 'released',
        cause: 'payment_canceled',
      });

      const canceled = await harness.provider.retrieveIntent(before.providerIntentId ?? '');
      expect(canceled).toMatchObject({ kind: 'responded', intent: { state: 'canceled' } });
      const after = await harness.db.payment.findFirstOrThrow({ where: { operationId } });
      expect(after).toMatchObject({ status: 'released', generation: 2, providerIntentId: null });

      await harness.pay(payCommand, key);
      const retried = await harness.db.payment.findFirstOrThrow({ where: { operationId } });
      expect(retried).toMatchObject({ status: 'pending', generation: 2 });
      expect(retried.providerIntentId).not.toBe(before.providerIntentId);
    },
  );

  test('four reconcilers at once: one resolves, the others find nothing to do', async () => {
    const { payCommand, operationId } = await payUnknown('pm_fault_charged_no_response');
    const found = await Promise.all(
      [1, 2, 3, 4].map((n) => reconciler.reconcile(harness.refOf(operationId), `test-${n}`)),
    );
    expect(found.filter((result) => result.kind === 'completed')).toHaveLength(1);
    expect(found.filter((result) => result.kind === 'nothing_to_do')).toHaveLength(3);
    const events = await harness.db.outboxEvent.findMany({
      where: { payment: { reference: payCommand.reference } },
    });
    expect(events).toHaveLength(1);
  });

  test('a reconciler that is overtaken while it asks the provider does not call the outcome unknown', async () => {
    const { operationId } = await payUnknown('pm_fault_not_charged_500');
    const provider = {
      ...harness.provider,
      retrieveIntent: async (intentId: string) => {
        const seen = await harness.provider.retrieveIntent(intentId);
        await reconciler.reconcile(harness.refOf(operationId), 'faster');
        return seen;
      },
    };
    const investigators = [createPaymentKind.createInvestigator({ ...harness, provider })];
    const overtaken = createReconciler({ ...harness, investigators });
    expect(await overtaken.reconcile(harness.refOf(operationId), 'slower')).toEqual({
      kind: 'nothing_to_do',
      status: 'failed_retryable',
    });
  });

  test('stays unknown while the provider cannot be asked: absence is never proof', async () => {
    const { operationId } = await payUnknown('pm_fault_charged_no_response');
    await harness.sandbox.control('outage', { on: true, mode: '503' });
    const during = await reconciler.reconcile(harness.refOf(operationId), 'test');
    await harness.sandbox.control('outage', { on: false });
    expect(during).toMatchObject({ kind: 'still_unknown' });
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'test')).toEqual({
      kind: 'completed',
      cause: 'provider_succeeded',
    });
  });

  test.each(['retrieveIntent', 'cancelIntent'] as const)(
    'stays unknown when %s is refused: that is about the request, not about the money',
    async (call) => {
      const { operationId } = await payUnknown('pm_fault_not_charged_500');
      const provider = {
        ...harness.provider,
        [call]: async () => ({ kind: 'rejected', code: 'api_key_expired' }),
      };
      const investigators = [createPaymentKind.createInvestigator({ ...harness, provider })];
      const refused = createReconciler({ ...harness, investigators });
      expect(await refused.reconcile(harness.refOf(operationId), 'test')).toEqual({
        kind: 'still_unknown',
        code: 'api_key_expired',
        noEvidence: true,
      });
      expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
      expect(await reconciler.reconcile(harness.refOf(operationId), 'test')).toMatchObject({
        kind: 'released',
      });
    },
  );

  test('the verdict leaves an event with the actor and the evidence', async () => {
    const { operationId } = await payUnknown('pm_fault_charged_no_response');
    await reconciler.reconcile(harness.refOf(operationId), 'operator:42');
    const events = await harness.db.idempotencyEvent.findMany({
      where: { tenantId: harness.tenantId, recordId: operationId },
      orderBy: { id: 'asc' },
    });
    expect(events.map((event) => event.recoveryPoint)).toEqual([
      'claimed',
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
  const outcome = await harness.pay(command(), newKey());
  if (outcome.kind !== 'completed') throw new Error('expected a completed payment');
  expect(await reconciler.reconcile(harness.refOf(outcome.operationId), 'test')).toEqual({
    kind: 'nothing_to_do',
    status: 'completed',
  });
});

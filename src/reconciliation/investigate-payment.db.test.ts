import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createPaymentKind,
  findNextAction,
  type PaymentProvider,
  type ProviderResult,
} from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { rateLimited } from './rate-limit.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let reconciler: Reconciler;
beforeAll(async () => {
  harness = await openPaymentHarness();
  reconciler = createReconciler({
    ...harness,
    investigators: [createPaymentKind.createInvestigator(harness)],
  });
});
afterAll(() => harness.close());

const waiting = { kind: 'still_unknown', code: 'provider_requires_action' };
const canceled = { kind: 'released', cause: 'payment_canceled' };

/** A payment of unknown outcome: the shopper was sent to their bank, or a response was lost. */
async function payUnknown(
  payCommand: ReturnType<typeof command>,
  key: string,
  provider: PaymentProvider = harness.provider,
): Promise<string> {
  const outcome = await harness.pay(payCommand, key, provider);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  return outcome.operationId;
}

/** A reconciler with this provider instead of the real one. */
function reconcilerWith(over: Partial<PaymentProvider>): Reconciler {
  const provider = { ...harness.provider, ...over };
  return createReconciler({
    ...harness,
    investigators: [createPaymentKind.createInvestigator({ db: harness.db, provider })],
  });
}

/** Moves the operation's times back, as if this much time had passed. */
async function age(operationId: string, minutes: number): Promise<void> {
  await harness.db.$executeRaw`
    UPDATE idempotency_record SET unknown_since = unknown_since - ${minutes}::int * interval '1 minute'
    WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
  await harness.db.$executeRaw`
    UPDATE payment SET created_at = created_at - ${minutes}::int * interval '1 minute'
    WHERE tenant_id = ${harness.tenantId} AND operation_id = ${operationId}::uuid`;
}

test('a shopper has an hour at the bank’s page from the attempt that sent them there, however old the payment is', async () => {
  const payCommand = command({ paymentMethod: 'pm_card_threeDSecure2Required' });
  const key = newKey();
  const operationId = await payUnknown(payCommand, key);
  await age(operationId, 59);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(waiting);
  await age(operationId, 2);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(canceled);

  expect(await payUnknown(payCommand, key)).toBe(operationId);
  expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({
    status: 'unknown',
    attempt: 2,
  });
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(waiting);
  await age(operationId, 59);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(waiting);
  await age(operationId, 2);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(canceled);
  expect(await harness.sandbox.charges(payCommand.reference)).toEqual([]);
});

test('a response that asks for the shopper at their bank is lost: reconciliation finds the address, so that they can confirm or cancel', async () => {
  const payCommand = command({ paymentMethod: 'pm_card_threeDSecure2Required' });
  const confirmIntent: PaymentProvider['confirmIntent'] = async (...args) => {
    await harness.provider.confirmIntent(...args);
    return { kind: 'ambiguous', code: 'provider_timeout' };
  };
  const operationId = await payUnknown(payCommand, newKey(), { ...harness.provider, confirmIntent });
  const address = () => findNextAction(harness.db, harness.refOf(operationId));
  expect(await address()).toBeUndefined();
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(waiting);
  expect(await address()).toMatch(/^http.*3ds/);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'shopper', { cancelWaiting: true })).toEqual(
    canceled,
  );
  expect(await address()).toBeUndefined();
});

test('a webhook that comes before the response books no other amount than the response may: that waits for an operator', async () => {
  const withOtherAmount = (result: ProviderResult): ProviderResult =>
    result.kind === 'responded' ? { ...result, intent: { ...result.intent, amountMinor: 1 } } : result;
  const provider: PaymentProvider = {
    ...harness.provider,
    retrieveIntent: async (...args) => withOtherAmount(await harness.provider.retrieveIntent(...args)),
    async confirmIntent(intentId, request) {
      const result = withOtherAmount(await harness.provider.confirmIntent(intentId, request));
      byWebhook = await misled.reconcile(harness.refOf(request.operationId), 'webhook:evt_1');
      return result;
    },
  };
  let byWebhook: unknown;
  const misled = reconcilerWith(provider);
  const contradictory = { kind: 'still_unknown', code: 'contradictory' };

  const operationId = await payUnknown(command(), newKey(), provider);
  expect(byWebhook).toEqual(contradictory);
  expect(await misled.reconcile(harness.refOf(operationId), 'poller')).toEqual(contradictory);
  expect(await harness.db.ledgerEntry.count({ where: { payment: { operationId } } })).toBe(0);
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
    kind: 'completed',
  });
});

test('the intent of another operation is neither booked nor cancelled for this one', async () => {
  // No row has it here: the response that named it was lost.
  const created = await harness.provider.createIntent({
    ...command(),
    ...{ tenantId: harness.tenantId, operationId: randomUUID(), generation: 1 },
  });
  if (created.kind !== 'responded') throw new Error('Expected an intent.');
  const strange = created.intent.id;
  const provider: PaymentProvider = {
    ...harness.provider,
    // The response to the creation has the id of another intent.
    async createIntent(request) {
      const own = await harness.provider.createIntent(request);
      if (own.kind !== 'responded') return own;
      return { ...own, intent: { ...own.intent, id: strange } };
    },
    confirmIntent: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }),
  };
  const operationId = await payUnknown(command(), newKey(), provider);
  const found = await reconciler.reconcile(harness.refOf(operationId), 'poller');
  expect(found).toMatchObject({ kind: 'still_unknown', code: 'provider_response_invalid' });
  const still = await harness.provider.retrieveIntent(strange);
  expect(still).toMatchObject({ intent: { state: 'created' } });
});

describe('no intent is recorded', () => {
  const unavailable = { kind: 'refused', problem: { spec: { code: 'provider_unavailable' } } };

  test.each([
    ['the response to its creation was lost', true],
    ['the provider saved a failure under its key, and replays it', false],
  ])(
    '%s: nothing can have moved, so the key is released at once, and the retry pays once',
    async (_, isCreated) => {
      const payCommand = command();
      const key = newKey();
      const orphans: string[] = [];
      const ambiguous: PaymentProvider = {
        ...harness.provider,
        async createIntent(request) {
          if (request.generation > 1) return harness.provider.createIntent(request);
          const created = isCreated ? await harness.provider.createIntent(request) : undefined;
          if (created?.kind === 'responded') orphans.push(created.intent.id);
          return { kind: 'ambiguous', code: 'provider_http_500' };
        },
      };
      expect(await harness.pay(payCommand, key, ambiguous)).toMatchObject(unavailable);
      const where = { tenantId: harness.tenantId, reference: payCommand.reference };
      expect(await harness.db.payment.findFirstOrThrow({ where })).toMatchObject({
        ...{ status: 'released', generation: 2, providerIntentId: null },
      });

      expect(bodyOf(await harness.pay(payCommand, key, ambiguous))).toMatchObject({ status: 'succeeded' });
      expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
      for (const orphan of orphans) {
        expect(await harness.provider.retrieveIntent(orphan)).toMatchObject({ intent: { state: 'created' } });
      }
    },
  );

  test('and the provider does not respond at all: another key may pay for the reference', async () => {
    const payCommand = command();
    await harness.sandbox.control('outage', { on: true, mode: '503' });
    const refused = await harness
      .pay(payCommand, newKey())
      .finally(() => harness.sandbox.control('outage', { on: false }));
    expect(refused).toMatchObject(unavailable);
    expect(bodyOf(await harness.pay(payCommand, newKey()))).toMatchObject({ status: 'succeeded' });
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });

  test('while its owner may be alive the provider is not asked to create it', async () => {
    let found: unknown;
    const created: string[] = [];
    const early = reconcilerWith({
      async createIntent({ operationId }) {
        created.push(operationId);
        return { kind: 'rejected', code: 'resource_missing' };
      },
    });
    const outcome = await harness.pay(command(), newKey(), {
      ...harness.provider,
      async createIntent(request) {
        found = await early.reconcile(harness.refOf(request.operationId), 'webhook:evt_1');
        return harness.provider.createIntent(request);
      },
    });
    expect(bodyOf(outcome)).toMatchObject({ status: 'succeeded' });
    expect(found).toEqual({ kind: 'still_unknown', code: 'no_intent_yet', noEvidence: true });
    expect(created).toEqual([]);
  });
});

test.each(['retrieveIntent', 'cancelIntent'] as const)(
  'a recorded intent is not given up because %s does not find it: absence is never proof',
  async (call) => {
    const operationId = await payUnknown(command({ paymentMethod: 'pm_fault_not_charged_500' }), newKey());
    const missing = reconcilerWith({
      [call]: async () => ({ kind: 'rejected', code: 'resource_missing' }),
    });
    expect(await missing.reconcile(harness.refOf(operationId), 'poller')).toEqual({
      kind: 'still_unknown',
      code: 'resource_missing',
      noEvidence: true,
    });
    expect(await harness.store.findById(harness.refOf(operationId))).toMatchObject({ status: 'unknown' });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toEqual(canceled);
  },
);

test('a check that calls the provider twice waits for two slots, and the shopper who pays for none', async () => {
  let slots = 0;
  const limited = reconcilerWith(
    rateLimited(harness.provider, async () => {
      slots += 1;
    }),
  );
  const operationId = await payUnknown(command({ paymentMethod: 'pm_card_threeDSecure2Required' }), newKey());
  expect(slots).toBe(0);
  expect(await limited.reconcile(harness.refOf(operationId), 'poller')).toEqual(waiting);
  expect(slots).toBe(1);
  await age(operationId, 61);
  expect(await limited.reconcile(harness.refOf(operationId), 'poller')).toEqual(canceled);
  expect(slots).toBe(3);
});

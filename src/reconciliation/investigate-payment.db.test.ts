import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PaymentProvider, ProviderResult } from '#payments/index.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createPaymentInvestigator } from '#payments/operations/create-payment/investigate.ts';
import { inTurn } from './rate-limit.ts';
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

/** Its outcome is unknown: the shopper was sent to their bank, or an answer was lost. */
async function payInto(
  wish: ReturnType<typeof command>,
  key: string,
  provider: PaymentProvider = stand.provider,
): Promise<string> {
  const outcome = await stand.pay(wish, key, provider);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  return outcome.operationId;
}

/** Looks with this provider instead of the real one. */
function lookingWith(over: Partial<PaymentProvider>): Reconciler {
  const provider = { ...stand.provider, ...over };
  return createReconciler({
    ...stand,
    investigators: [createPaymentInvestigator({ db: stand.db, provider })],
  });
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
  const operationId = await payInto(wish, key);
  await age(operationId, 59);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(waiting);
  await age(operationId, 2);
  expect(await reconciler.reconcile(operationId, 'poller')).toEqual(fenced);

  expect(await payInto(wish, key)).toBe(operationId);
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
  const deceived = lookingWith(provider);
  const contradictory = { kind: 'still_unknown', code: 'contradictory' };

  const operationId = await payInto(command(), newKey(), provider);
  expect(heard).toEqual(contradictory);
  expect(await deceived.reconcile(operationId, 'poller')).toEqual(contradictory);
  expect(await stand.db.ledgerEntry.count({ where: { payment: { operationId } } })).toBe(0);
  expect(await reconciler.reconcile(operationId, 'poller')).toMatchObject({ kind: 'settled' });
});

describe('no intent is on record, because the answer to its creation was lost', () => {
  const rejected = { kind: 'released', cause: 'provider_rejected' };

  /** The provider makes the intent, and nobody hears of it. */
  async function payUnheard() {
    const wish = command();
    const key = newKey();
    let made = '';
    const operationId = await payInto(wish, key, {
      ...stand.provider,
      async createIntent(request) {
        const created = await stand.provider.createIntent(request);
        if (created.kind === 'answered') made = created.intent.id;
        return { kind: 'ambiguous', code: 'provider_http_503' };
      },
    });
    return { wish, key, operationId, made };
  }

  test('the provider refuses to make it: the key is released as its owner would have, and the reference is free', async () => {
    const wish = command({ paymentMethod: 'pm_does_not_exist' });
    const key = newKey();
    await stand.sandbox.control('outage', { on: true, mode: '503' });
    const operationId = await payInto(wish, key).finally(() =>
      stand.sandbox.control('outage', { on: false }),
    );
    expect(await reconciler.reconcile(operationId, 'poller')).toEqual(rejected);
    const event = await stand.db.idempotencyEvent.findFirst({
      where: { recordId: operationId, toStatus: 'failed_retryable' },
    });
    expect(event).toMatchObject({ fromStatus: 'unknown', evidence: { code: 'resource_missing' } });

    expect(await stand.pay(wish, key)).toMatchObject({ problem: { spec: { code: 'provider_rejected' } } });
    const otherCard = await stand.pay({ ...wish, paymentMethod: 'pm_card_visa' }, newKey());
    expect(answered(otherCard)).toMatchObject({ status: 'succeeded' });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test('also when it has forgotten that it made one: that one is never confirmed, and the next try has its own', async () => {
    const { wish, key, operationId, made } = await payUnheard();
    const forgetful = lookingWith({
      createIntent: async () => ({ kind: 'rejected', code: 'resource_missing', ofCommand: true }),
    });
    expect(await forgetful.reconcile(operationId, 'poller')).toEqual(rejected);
    expect(await stand.db.payment.findUniqueOrThrow({ where: { operationId } })).toMatchObject({
      ...{ status: 'released', generation: 2, providerIntentId: null },
    });

    expect(answered(await stand.pay(wish, key))).toMatchObject({ status: 'succeeded', operationId });
    const paid = await stand.db.payment.findUniqueOrThrow({ where: { operationId } });
    expect(paid.providerIntentId).not.toBe(made);
    expect(await stand.provider.retrieveIntent(made)).toMatchObject({ intent: { state: 'created' } });
    expect(await stand.sandbox.charges(wish.reference)).toHaveLength(1);
  });

  test.each([
    ['rejected', 'api_key_expired'],
    ['rejected', 'StripePermissionError'],
    ['rejected', 'StripeIdempotencyError'],
    ['not_executed', 'provider_rate_limited'],
    ['ambiguous', 'provider_http_409'],
  ] as const)('a refusal of the question (%s: %s) releases nothing', async (kind, code) => {
    const { operationId } = await payUnheard();
    const refused = lookingWith({ createIntent: async () => ({ kind, code }) });
    expect(await refused.reconcile(operationId, 'poller')).toEqual({
      kind: 'still_unknown',
      code,
      noWord: true,
    });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
    expect(await reconciler.reconcile(operationId, 'poller')).toEqual(fenced);
  });

  test('while its owner may be alive the provider is not asked to make it', async () => {
    let found: unknown;
    const asked: string[] = [];
    const nosy = lookingWith({
      async createIntent({ operationId }) {
        asked.push(operationId);
        return { kind: 'rejected', code: 'resource_missing', ofCommand: true };
      },
    });
    const outcome = await stand.pay(command(), newKey(), {
      ...stand.provider,
      async createIntent(request) {
        found = await nosy.reconcile(request.operationId, 'webhook:evt_1');
        return stand.provider.createIntent(request);
      },
    });
    expect(answered(outcome)).toMatchObject({ status: 'succeeded' });
    expect(found).toEqual({ kind: 'still_unknown', code: 'no_intent_yet', noWord: true });
    expect(asked).toEqual([]);
  });
});

test.each(['retrieveIntent', 'cancelIntent'] as const)(
  'an intent on record is not given up because %s finds no such thing: absence is never proof',
  async (question) => {
    const operationId = await payInto(command({ paymentMethod: 'pm_fault_not_charged_500' }), newKey());
    const missing = lookingWith({
      [question]: async () => ({ kind: 'rejected', code: 'resource_missing', ofCommand: true }),
    });
    expect(await missing.reconcile(operationId, 'poller')).toEqual({
      kind: 'still_unknown',
      code: 'resource_missing',
      noWord: true,
    });
    expect(await stand.store.findById(operationId)).toMatchObject({ status: 'unknown' });
    expect(await reconciler.reconcile(operationId, 'poller')).toEqual(fenced);
  },
);

test('a look that asks the provider twice takes two turns, and the shopper who pays takes none', async () => {
  let turns = 0;
  const patient = lookingWith(
    inTurn(stand.provider, async () => {
      turns += 1;
    }),
  );
  const operationId = await payInto(command({ paymentMethod: 'pm_card_threeDSecure2Required' }), newKey());
  expect(turns).toBe(0);
  expect(await patient.reconcile(operationId, 'poller')).toEqual(waiting);
  expect(turns).toBe(1);
  await age(operationId, 61);
  expect(await patient.reconcile(operationId, 'poller')).toEqual(fenced);
  expect(turns).toBe(3);
});

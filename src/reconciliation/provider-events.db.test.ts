import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostgresCheckQueue } from '#idempotency/stores/postgres.ts';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import {
  createEventFollower,
  createPaymentKind,
  type Intent,
  type PaymentProvider,
  type ProviderResult,
} from '#payments/index.ts';
import { command, newKey, openPaymentHarness, type PaymentHarness } from '#payments/testing/harness.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { processProviderEvent, providerEventTask } from './provider-events.ts';
import { createEventReceiver } from './receive-events.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';
import { compareWith, loseCommits } from './testing/lost-commits.ts';

let harness: PaymentHarness;
let provider: PaymentProvider;
let reconciler: Reconciler;
/** The provider's result for every call, while it is in trouble. */
let trouble: Exclude<ProviderResult, { kind: 'responded' }> | undefined;
/** An intent that the provider charged after its key was released. */
let chargedAfterRelease: string | undefined;
/** What every read says of an intent, although it has another state. */
let readAs: Partial<Intent> | undefined;

beforeAll(async () => {
  harness = await openPaymentHarness();
  provider = {
    ...harness.provider,
    async retrieveIntent(id, of) {
      if (trouble) return trouble;
      const real = await harness.provider.retrieveIntent(id, of);
      if (readAs && real.kind === 'responded') return { ...real, intent: { ...real.intent, ...readAs } };
      if (id !== chargedAfterRelease || real.kind !== 'responded') return real;
      return { kind: 'responded', intent: { ...real.intent, state: 'succeeded', chargeId: 'ch_x' } };
    },
  };
  reconciler = createReconciler({
    ...harness,
    investigators: [createPaymentKind.createInvestigator({ db: harness.db, provider })],
  });
});
afterAll(() => harness.close());

/** Delivers an event. */
async function receive(
  operationId: string,
  intentId: string,
  tenantId = harness.tenantId,
  status?: string,
): Promise<string> {
  const eventId = `evt_${randomUUID()}`;
  const payload = JSON.stringify({ data: { object: { object: 'payment_intent', id: intentId, status } } });
  const type = 'payment_intent.succeeded';
  await createEventReceiver(createPrismaDriver(harness.db))({
    provider: 'sandbox',
    eventId,
    type,
    operation: { tenantId, id: operationId },
    payload,
  });
  return eventId;
}

function work(): Promise<void> {
  const process = (payload: unknown) =>
    processProviderEvent(
      { db: harness.db, reconciler, follower: createEventFollower({ db: harness.db, provider }) },
      (payload as { id: string }).id,
    );
  return runDueJobs(harness, { [providerEventTask]: process });
}

const eventOf = (eventId: string) =>
  harness.db.providerEvent.findUniqueOrThrow({
    where: { provider_eventId: { provider: 'sandbox', eventId } },
    select: { status: true, outcome: true },
  });
const kept = { status: 'received', outcome: null };

async function payWith(paymentMethod: string) {
  const key = newKey();
  await harness.pay(command({ paymentMethod }), key);
  const record = await harness.db.idempotencyRecord.findFirstOrThrow({
    where: { tenantId: harness.tenantId, key },
  });
  const payment = await harness.db.payment.findFirstOrThrow({ where: { operationId: record.id } });
  const { tenantId, id, attempt } = record;
  return { id, checked: { tenantId, id, attempt }, payment, intentId: payment.providerIntentId ?? '' };
}

describe.each([
  { kind: 'ambiguous', code: 'provider_http_503' },
  { kind: 'ambiguous', code: 'provider_timeout' },
  { kind: 'not_executed', code: 'provider_rate_limited' },
  // Refusals of the request, and unforeseen errors: they are no evidence about the money either.
  { kind: 'rejected', code: 'api_key_expired' },
  { kind: 'ambiguous', code: 'provider_http_409' },
  { kind: 'ambiguous', code: 'unexpected_error' },
] as const)('a webhook that comes while the provider responds $code is kept', (failure) => {
  test('for an escalated operation, which has no check ahead; then it completes the operation', async () => {
    const { id, checked, intentId } = await payWith('pm_fault_charged_500');
    expect(await createPostgresCheckQueue(createPrismaDriver(harness.db)).escalate(checked)).toBe(true);
    const eventId = await receive(id, intentId);
    trouble = failure;
    await work();
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    expect(await harness.store.findById(harness.refOf(id))).toMatchObject({ status: 'unknown' });
    trouble = undefined;
    await work();
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'completed: provider_succeeded' });
    expect(await harness.store.findById(harness.refOf(id))).toMatchObject({ status: 'completed' });
  });

  test('for a released key; then the money is flagged as an exception', async () => {
    const { id, payment, intentId } = await payWith('pm_fault_rate_limited');
    expect(payment.status).toBe('released');
    // The intent is confirmed in the provider's own dashboard.
    await fetch(`${harness.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
      body: new URLSearchParams({
        payment_method: 'pm_card_visa',
        return_url: 'https://shop.example/return',
      }),
    });
    const eventId = await receive(id, intentId);
    trouble = failure;
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    expect(await harness.db.reconciliationException.count({ where: { intentId } })).toBe(0);
    trouble = undefined;
    await work();
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'exception' });
    expect(await harness.db.reconciliationException.count({ where: { intentId, status: 'open' } })).toBe(1);
  });
});

test('a webhook that found the provider in trouble is processed if a check is due within a minute, and kept if not', async () => {
  const { id, checked, intentId } = await payWith('pm_fault_charged_500');
  const queue = createPostgresCheckQueue(createPrismaDriver(harness.db));
  trouble = { kind: 'ambiguous', code: 'provider_http_503' };
  await queue.postpone(checked, 24 * 3_600_000);
  const early = await receive(id, intentId);
  await work();
  expect(await eventOf(early)).toEqual(kept);
  await harness.db.$executeRaw`
    UPDATE idempotency_record SET next_check_at = clock_timestamp() + interval '3 seconds'
    WHERE tenant_id = ${harness.tenantId} AND id = ${id}::uuid`;
  await work();
  expect(await eventOf(early)).toEqual({
    status: 'processed',
    outcome: 'still_unknown: provider_http_503',
  });
  trouble = undefined;
  expect(await reconciler.reconcile(harness.refOf(id), 'poller')).toMatchObject({ kind: 'completed' });
});

test('money on an intent that the payment no longer uses is flagged as an exception, with every outcome of the operation', async () => {
  const key = newKey();
  const payCommand = command({ paymentMethod: 'pm_fault_not_charged_500' });
  const intentOf = async () => {
    const { id } = await harness.db.idempotencyRecord.findFirstOrThrow({
      where: { tenantId: harness.tenantId, key },
    });
    const payment = await harness.db.payment.findFirstOrThrow({ where: { operationId: id } });
    return { id, intentId: payment.providerIntentId ?? '' };
  };
  await harness.pay(payCommand, key);
  const first = await intentOf();
  expect(await reconciler.reconcile(harness.refOf(first.id), 'poller')).toMatchObject({ kind: 'released' });
  await harness.pay(payCommand, key);
  const second = await intentOf();
  expect(second.intentId).not.toBe(first.intentId);

  chargedAfterRelease = first.intentId;
  const eventId = await receive(first.id, first.intentId);
  await work();
  chargedAfterRelease = undefined;
  expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'exception' });
  expect(
    await harness.db.reconciliationException.findMany({ where: { payment: { operationId: first.id } } }),
  ).toMatchObject([{ intentId: first.intentId, status: 'open', reason: 'charged_after_release' }]);
});

test('a refused request is repeated, and a missing intent ends the processing', async () => {
  const { id, intentId } = await payWith('pm_fault_rate_limited');
  const eventId = await receive(id, intentId);
  trouble = { kind: 'rejected', code: 'api_key_expired' };
  await work();
  expect(await eventOf(eventId)).toEqual(kept);
  trouble = { kind: 'rejected', code: 'resource_missing' };
  await work();
  trouble = undefined;
  expect(await eventOf(eventId)).toEqual({
    status: 'processed',
    outcome: 'nothing_to_do: failed_retryable',
  });
});

test('money that was taken for another operation or another tenant is not flagged: an operator would give back what is paid', async () => {
  const [one, other] = [await payWith('pm_card_visa'), await payWith('pm_card_visa')];
  const { id: stranger } = await harness.db.organization.create({
    data: { id: randomUUID(), name: 'Other', slug: 'other' },
  });
  const events = [
    await receive(one.id, other.intentId),
    await receive(other.id, other.intentId, stranger),
    await receive(randomUUID(), other.intentId),
  ];
  await work();
  for (const eventId of events) expect(await eventOf(eventId)).toMatchObject({ status: 'processed' });
  expect(await harness.db.reconciliationException.count({ where: { intentId: other.intentId } })).toBe(0);
  expect(await harness.db.payment.count({ where: { tenantId: stranger } })).toBe(0);
});

describe('an event that says that money was taken, while reads deny it', () => {
  const canceled = { state: 'canceled', chargeId: undefined } as const;

  test('frees no payment whose outcome is unknown: it would be charged again', async () => {
    const { id, intentId } = await payWith('pm_fault_charged_500');
    readAs = canceled;
    const eventId = await receive(id, intentId, harness.tenantId, 'succeeded');
    await work();
    expect(await eventOf(eventId)).toMatchObject({ outcome: 'still_unknown: contradictory' });
    expect(await reconciler.reconcile(harness.refOf(id), 'poller')).toEqual({
      kind: 'still_unknown',
      code: 'contradictory',
    });
    readAs = undefined;
    expect(await reconciler.reconcile(harness.refOf(id), 'poller')).toMatchObject({ kind: 'completed' });
  });

  test.each([
    ['the intent is canceled', () => (readAs = canceled)],
    ['there is no such intent', () => (trouble = { kind: 'rejected', code: 'resource_missing' })],
  ])('%s: it is kept for a released key, and then flagged', async (_, lie) => {
    const { id, intentId } = await payWith('pm_fault_rate_limited');
    lie();
    const eventId = await receive(id, intentId, harness.tenantId, 'succeeded');
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    [readAs, trouble, chargedAfterRelease] = [undefined, undefined, intentId];
    await work();
    chargedAfterRelease = undefined;
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'exception' });
  });
});

test.each([
  ['that the intent is canceled', () => (readAs = { state: 'canceled', chargeId: undefined })],
  ['that there is no such intent', () => (trouble = { kind: 'rejected', code: 'resource_missing' })],
])(
  'an event that a payment was paid which our database has lost is kept while reads say %s',
  async (_, lie) => {
    const { id, intentId } = await payWith('pm_card_visa');
    await loseCommits(harness, id);
    lie();
    const eventId = await receive(id, intentId, harness.tenantId, 'succeeded');
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    [readAs, trouble] = [undefined, undefined];
    await work();
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'exception' });
    // Its money is in no book; here nothing else is tested.
    await compareWith(harness);
  },
);

test('an event that says that a booked payment was not paid is followed: if the provider agrees, an operator is shown it', async () => {
  const { id, intentId } = await payWith('pm_card_visa');
  const truthful = await receive(id, intentId, harness.tenantId, 'canceled');
  await work();
  expect(await eventOf(truthful)).toMatchObject({ outcome: 'nothing_to_do: completed' });
  readAs = { state: 'declined' };
  const eventId = await receive(id, intentId, harness.tenantId, 'requires_payment_method');
  await work();
  readAs = undefined;
  expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'exception' });
  expect(await harness.db.reconciliationException.findMany({ where: { intentId } })).toMatchObject([
    { reason: 'charge_denied', status: 'open' },
  ]);
});

test('a key is not tried again while an earlier intent of it was charged, and that is not paid back', async () => {
  const [payCommand, key] = [command({ paymentMethod: 'pm_fault_not_charged_500' }), newKey()];
  await harness.pay(payCommand, key);
  const { operationId, providerIntentId } = await harness.db.payment.findFirstOrThrow({
    where: { reference: payCommand.reference },
  });
  const operation = harness.refOf(operationId);
  expect(await reconciler.reconcile(operation, 'poller')).toMatchObject({ kind: 'released' });
  const intentId = providerIntentId ?? '';
  chargedAfterRelease = intentId;
  await receive(operationId, intentId);
  await work();
  chargedAfterRelease = undefined;
  const decide = (status: string) =>
    harness.db.reconciliationException.updateMany({ where: { intentId }, data: { status } });
  const refusedBecause = (paymentStatus: string) => ({
    problem: { spec: { code: 'payment_exists_for_reference' }, extensions: { paymentStatus } },
  });
  expect(await harness.pay(payCommand, key)).toMatchObject(refusedBecause('under_review'));
  await decide('dismissed');
  expect(await harness.pay(payCommand, key)).toMatchObject(refusedBecause('kept'));
  await decide('refunded');
  expect(await harness.pay(payCommand, key)).toMatchObject({ kind: 'pending' });
});

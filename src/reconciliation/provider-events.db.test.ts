import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDueQueue } from '#idempotency/stores/prisma.ts';
import type { PaymentProvider, ProviderResult } from '#payments/index.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createPaymentInvestigator } from '#payments/operations/create-payment/investigate.ts';
import { processProviderEvent, providerEventTask, receiveProviderEvent } from './provider-events.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let stand: PaymentStand;
let provider: PaymentProvider;
let reconciler: Reconciler;
/** What the provider answers to every question, while it is in trouble. */
let trouble: Exclude<ProviderResult, { kind: 'answered' }> | undefined;
/** An intent that was charged behind our back. */
let chargedAfterAll: string | undefined;

beforeAll(async () => {
  stand = await openPaymentStand();
  provider = {
    ...stand.provider,
    async retrieveIntent(id, of) {
      if (trouble) return trouble;
      const real = await stand.provider.retrieveIntent(id, of);
      if (id !== chargedAfterAll || real.kind !== 'answered') return real;
      return { kind: 'answered', intent: { ...real.intent, state: 'succeeded', chargeId: 'ch_x' } };
    },
  };
  reconciler = createReconciler({
    ...stand,
    investigators: [createPaymentInvestigator({ db: stand.db, provider })],
  });
});
afterAll(() => stand.close());

/** The event is delivered, and a worker has a go at what is due, whatever the back-off says. */
async function receive(operationId: string, intentId: string): Promise<string> {
  const eventId = `evt_${randomUUID()}`;
  const payload = { data: { object: { object: 'payment_intent', id: intentId } } };
  const type = 'payment_intent.succeeded';
  await receiveProviderEvent(stand.db, {
    provider: 'sandbox',
    eventId,
    type,
    operationId,
    payload,
  });
  return eventId;
}

function work(): Promise<void> {
  const process = (payload: unknown) =>
    processProviderEvent({ db: stand.db, reconciler, provider }, (payload as { id: string }).id);
  return runDueJobs(stand, { [providerEventTask]: process });
}

const eventOf = (eventId: string) =>
  stand.db.providerEvent.findUniqueOrThrow({
    where: { provider_eventId: { provider: 'sandbox', eventId } },
    select: { status: true, outcome: true },
  });
const kept = { status: 'received', outcome: null };

async function payInto(paymentMethod: string) {
  const key = newKey();
  await stand.pay(command({ paymentMethod }), key);
  const record = await stand.db.idempotencyRecord.findFirstOrThrow({ where: { key } });
  const payment = await stand.db.payment.findUniqueOrThrow({ where: { operationId: record.id } });
  return { id: record.id, attempt: record.attempt, payment, intentId: payment.providerIntentId ?? '' };
}

describe.each([
  { kind: 'ambiguous', code: 'provider_http_503' },
  { kind: 'ambiguous', code: 'provider_timeout' },
  { kind: 'not_executed', code: 'provider_rate_limited' },
  // Refusals of the question, and what nobody foresaw: they too say nothing about the money.
  { kind: 'rejected', code: 'api_key_expired' },
  { kind: 'ambiguous', code: 'provider_http_409' },
  { kind: 'ambiguous', code: 'unexpected_error' },
] as const)('a webhook that comes while the provider answers $code is kept', (silence) => {
  test('where a person was asked and nobody looks any more; then it settles the operation', async () => {
    const { id, attempt, intentId } = await payInto('pm_fault_charged_500');
    expect(await createDueQueue(stand.db).escalate({ id, attempt })).toBe(true);
    const eventId = await receive(id, intentId);
    trouble = silence;
    await work();
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    expect(await stand.store.findById(id)).toMatchObject({ status: 'unknown' });
    trouble = undefined;
    await work();
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'settled: provider_succeeded' });
    expect(await stand.store.findById(id)).toMatchObject({ status: 'completed' });
  });

  test('where the key had been released; then the money is shown to a person', async () => {
    const { id, payment, intentId } = await payInto('pm_fault_rate_limited');
    expect(payment.status).toBe('released');
    // Somebody confirms the intent behind our back, in the provider's own dashboard.
    await fetch(`${stand.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${stand.sandbox.secretKey}` },
      body: new URLSearchParams({ payment_method: 'pm_card_visa' }),
    });
    const eventId = await receive(id, intentId);
    trouble = silence;
    await work();
    expect(await eventOf(eventId)).toEqual(kept);
    expect(await stand.db.lateTruth.count({ where: { intentId } })).toBe(0);
    trouble = undefined;
    await work();
    expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'late_truth' });
    expect(await stand.db.lateTruth.count({ where: { intentId, status: 'open' } })).toBe(1);
  });
});

test('a webhook that found the provider in trouble is done with where the schedule looks again within a minute, and kept where it does not', async () => {
  const { id, attempt, intentId } = await payInto('pm_fault_charged_500');
  const queue = createDueQueue(stand.db);
  trouble = { kind: 'ambiguous', code: 'provider_http_503' };
  await queue.postpone({ id, attempt }, 24 * 3_600_000);
  const early = await receive(id, intentId);
  await work();
  expect(await eventOf(early)).toEqual(kept);
  await stand.db.$executeRaw`
    UPDATE idempotency_record SET reconcile_after = clock_timestamp() + interval '3 seconds' WHERE id = ${id}::uuid`;
  await work();
  expect(await eventOf(early)).toEqual({
    status: 'processed',
    outcome: 'still_unknown: provider_http_503',
  });
  trouble = undefined;
  expect(await reconciler.reconcile(id, 'poller')).toMatchObject({ kind: 'settled' });
});

test('money on an intent that the operation no longer goes by is shown to a person, whatever becomes of the operation', async () => {
  const key = newKey();
  const wish = command({ paymentMethod: 'pm_fault_not_charged_500' });
  const intentOf = async () => {
    const { id } = await stand.db.idempotencyRecord.findFirstOrThrow({ where: { key } });
    const payment = await stand.db.payment.findUniqueOrThrow({ where: { operationId: id } });
    return { id, intentId: payment.providerIntentId ?? '' };
  };
  await stand.pay(wish, key);
  const first = await intentOf();
  expect(await reconciler.reconcile(first.id, 'poller')).toMatchObject({ kind: 'released' });
  await stand.pay(wish, key);
  const second = await intentOf();
  expect(second.intentId).not.toBe(first.intentId);

  chargedAfterAll = first.intentId;
  const eventId = await receive(first.id, first.intentId);
  await work();
  chargedAfterAll = undefined;
  expect(await eventOf(eventId)).toEqual({ status: 'processed', outcome: 'late_truth' });
  expect(await stand.db.lateTruth.findMany({ where: { payment: { operationId: first.id } } })).toMatchObject([
    { intentId: first.intentId, status: 'open', reason: 'charged_after_release' },
  ]);
});

test('what was refused is asked again, and that there is no such intent ends the matter', async () => {
  const { id, intentId } = await payInto('pm_fault_rate_limited');
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

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import {
  createEventFollower,
  createRefundKind,
  createStripeProvider,
  openException,
  type PaymentProvider,
  type RefundResult,
  runOperation,
} from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { runDueJobs } from '#payments/testing/run-due-jobs.ts';
import { processProviderEvent, providerEventTask } from './provider-events.ts';
import { createEventReceiver } from './receive-events.ts';
import { compareWith, loseCommits, reconcilerOf } from './testing/lost-commits.ts';

/** What a merchant does in the provider's own dashboard has no metadata of ours. The provider's events are all that we get. */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function stripe<T>(path: string, parameters?: Record<string, string>): Promise<T> {
  const response = await fetch(`${harness.sandbox.url}/v1/${path}`, {
    method: parameters ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
    ...(parameters && { body: new URLSearchParams(parameters) }),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as T;
}

type ProviderRefund = Extract<RefundResult, { kind: 'responded' }>['refund'];

interface SandboxEvent {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly object: { readonly id: string } };
}

/** Delivers the provider's events about an object, oldest first, each `times`, and has them processed. */
async function deliver(objectId: string, times = 1, over?: Partial<ProviderRefund>): Promise<void> {
  const { data } = await stripe<{ data: SandboxEvent[] }>('events?limit=100');
  const receive = createEventReceiver(createPrismaDriver(harness.db));
  for (const event of data.filter((one) => one.data.object.id === objectId).toReversed()) {
    for (let time = 0; time < times; time += 1) {
      const eventId = `${event.id}_${randomUUID()}`;
      const payload = JSON.stringify(event);
      await receive({ provider: 'sandbox', eventId, type: event.type, operation: undefined, payload });
    }
  }
  await work(over);
}

/** `over`: what the provider says of every refund. */
function work(over?: Partial<ProviderRefund>): Promise<void> {
  const { db } = harness;
  const provider: PaymentProvider = {
    ...harness.provider,
    async findRefund(wanted) {
      const found = await harness.provider.findRefund(wanted);
      return found?.kind === 'responded' ? { ...found, refund: { ...found.refund, ...over } } : found;
    },
  };
  const follower = createEventFollower({ db, provider });
  const parts = { db, reconciler: reconcilerOf(harness), follower };
  return runDueJobs(harness, {
    [providerEventTask]: (payload) => processProviderEvent(parts, (payload as { id: string }).id),
  });
}

async function pay(paymentMethod = 'pm_card_visa') {
  const payCommand = command({ paymentMethod });
  await harness.pay(payCommand, newKey());
  const row = () => harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
  const { id, providerIntentId: intentId } = await row();
  return { id, intentId: intentId ?? '', row };
}

function refundInDashboard(intentId: string, amount: number): Promise<{ id: string }> {
  return stripe<{ id: string }>('refunds', { payment_intent: intentId, amount: String(amount) });
}

function refund(paymentId: string, amountMinor: number) {
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: newKey() };
  return runOperation(harness, createRefundKind, caller, { paymentId, reference: 'return-1', amountMinor });
}

test('a refund made in the dashboard counts against what can be refunded, and is booked and announced once', async () => {
  const { id, intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 500);
  await deliver(made.id, 2);
  expect(await row()).toMatchObject({ refundedMinor: 500n });
  expect(await refund(id, 800)).toMatchObject({ problem: { spec: { code: 'refund_exceeds_payment' } } });
  bodyOf(await refund(id, 700));
  const [booked] = await harness.db.refund.findMany({ where: { providerRefundId: made.id } });
  expect(booked).toMatchObject({ paymentId: id, status: 'succeeded', amountMinor: 500n });
  const entries = await harness.db.ledgerEntry.findMany({ where: { sourceId: booked?.id ?? '' } });
  expect(entries.map(({ amountMinor }) => Number(amountMinor)).toSorted((a, b) => a - b)).toEqual([
    -500, 500,
  ]);
  const events = await harness.db.outboxEvent.findMany({ where: { sourceId: booked?.id ?? '' } });
  expect(events).toMatchObject([{ type: 'refund.succeeded' }]);
  const received = await harness.db.providerEvent.findMany({ where: { tenantId: harness.tenantId } });
  expect(received.map(({ outcome }) => outcome)).toContain('dashboard_refund');
});

test.each([
  ['a part', 500, 800],
  ['all', 1200, 700],
])(
  '%s was refunded in the dashboard, and its event has not come: too large a refund is refused as that',
  async (_, made, wanted) => {
    const { id, intentId, row } = await pay();
    await refundInDashboard(intentId, made);
    const refused = await refund(id, wanted);
    expect(refused).toMatchObject({ problem: { spec: { code: 'refund_exceeds_payment' } } });
    expect(await row()).toMatchObject({ refundedMinor: 0n });
  },
);

test('a refund made in the dashboard that the bank returns can be refunded again', async () => {
  const { id, intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 1200);
  await deliver(made.id);
  expect(await refund(id, 100)).toMatchObject({ problem: { spec: { code: 'payment_not_refundable' } } });
  await harness.sandbox.control('refunds/fail', { refund: made.id });
  await deliver(made.id);
  expect(await row()).toMatchObject({ refundedMinor: 0n });
  bodyOf(await refund(id, 1200));
});

test('an event without our metadata about a refund of ours does not book it a second time', async () => {
  const { id, row } = await pay();
  const { refundId } = bodyOf(await refund(id, 500));
  const made = async () => harness.db.refund.findFirstOrThrow({ where: { id: String(refundId) } });
  const { providerRefundId } = await made();
  // The provider still has the metadata, or it was changed in the dashboard.
  for (const over of [undefined, { operationId: undefined }, { operationId: 'ours' }]) {
    await deliver(providerRefundId ?? '', 1, over);
    expect(await row()).toMatchObject({ refundedMinor: 500n });
    expect(await harness.db.refund.count({ where: { paymentId: id } })).toBe(1);
  }

  // It is followed as what it is: if the bank returns it, it is booked back.
  await harness.sandbox.control('refunds/fail', { refund: providerRefundId });
  await deliver(providerRefundId ?? '');
  expect(await row()).toMatchObject({ refundedMinor: 0n });
  expect(await made()).toMatchObject({ status: 'failed' });
});

test('a refund in another currency than its payment is not booked', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  await deliver(made.id, 1, { currency: 'jpy' });
  expect(await row()).toMatchObject({ refundedMinor: 0n });
  await work();
  expect(await row()).toMatchObject({ refundedMinor: 300n });
});

test.each(['open', 'dismissed'])(
  'a charge that was never booked, whose exception is %s, and that is refunded in the dashboard needs no decision',
  async (decision) => {
    const { id, intentId, row } = await pay('pm_fault_rate_limited');
    await stripe(`payment_intents/${intentId}/confirm`, {
      payment_method: 'pm_card_visa',
      return_url: 'https://shop.example/return',
    });
    const about = { tenantId: harness.tenantId, paymentId: id, intentId };
    await openException(harness.db, { ...about, reason: 'charged_after_release' });
    await harness.db.reconciliationException.updateMany({
      where: { intentId },
      data: { status: decision, ...(decision === 'dismissed' && { decidedBy: 'operator:1' }) },
    });
    const shown = () => harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
    const part = await refundInDashboard(intentId, 300);
    await deliver(part.id);
    expect(await shown()).toMatchObject({ status: decision });
    await harness.sandbox.control('refunds/fail', { refund: part.id });

    const made = await refundInDashboard(intentId, 1200);
    await deliver(made.id, 2);
    expect(await shown()).toMatchObject({
      status: 'refunded',
      decidedBy: 'refund',
      decisionReason: `It was refunded in the provider’s dashboard: ${made.id}.`,
    });
    const { reference } = await row();
    expect(bodyOf(await harness.pay(command({ reference }), newKey()))).toMatchObject({
      status: 'succeeded',
    });

    // The bank returns it: the shop has the money again. The part that failed before says nothing about it.
    await deliver(part.id);
    expect(await shown()).toMatchObject({ status: 'refunded' });
    await harness.sandbox.control('refunds/fail', { refund: made.id });
    await deliver(made.id);
    expect(await shown()).toMatchObject({ status: 'open', decidedBy: null, generation: 2 });
    expect(await harness.db.refund.count({ where: { paymentId: id } })).toBe(0);
  },
);

test('a payment whose outcome is unknown and that is refunded in the dashboard is booked as refunded, not as paid', async () => {
  const { intentId, row } = await pay('pm_fault_charged_500');
  expect(await row()).toMatchObject({ status: 'pending' });
  const made = await refundInDashboard(intentId, 1200);
  await deliver(made.id);
  expect(await row()).toMatchObject({ status: 'succeeded', refundedMinor: 1200n });
});

describe('money that was charged after its key was released, and given back in the dashboard', () => {
  async function chargedAfterRelease() {
    const [payCommand, key] = [command(), newKey()];
    const { provider } = harness;
    await harness.pay(payCommand, key, {
      ...provider,
      async confirmIntent(...call) {
        await provider.confirmIntent(...call);
        return { kind: 'not_executed', code: 'provider_unreachable' };
      },
    });
    const { providerIntentId } = await harness.db.payment.findFirstOrThrow({
      where: { reference: payCommand.reference },
    });
    const intentId = providerIntentId ?? '';
    const exception = () =>
      harness.db.reconciliationException.findFirst({ where: { intentId }, select: { status: true } });
    return { intentId, exception, again: () => harness.pay(payCommand, key) };
  }

  test('is not booked as paid when its key is tried again, and leaves nothing to decide', async () => {
    const { intentId, exception, again } = await chargedAfterRelease();
    const made = await refundInDashboard(intentId, 1200);
    await deliver(made.id);
    expect(await exception()).toEqual({ status: 'refunded' });
    expect(await again()).toMatchObject({ problem: { spec: { code: 'idempotency_key_expired' } } });
  });

  test('is open again when the bank returns it', async () => {
    const { intentId, exception } = await chargedAfterRelease();
    const made = await refundInDashboard(intentId, 1200);
    await deliver(made.id);
    await harness.sandbox.control('refunds/fail', { refund: made.id });
    await deliver(made.id);
    expect(await exception()).toEqual({ status: 'open' });
  });

  test('in part: that is booked as soon as its payment is', async () => {
    const { intentId, exception, again } = await chargedAfterRelease();
    const made = await refundInDashboard(intentId, 300);
    await deliver(made.id);
    expect(await exception()).toEqual({ status: 'open' });
    bodyOf(await again());
    await work();
    const where = { providerIntentId: intentId };
    expect(await harness.db.payment.findFirst({ where })).toMatchObject({ refundedMinor: 300n });
  });
});

test('a refund that the provider does not list yet is booked when it does', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  const { findRefund } = harness.provider;
  harness.provider.findRefund = async () => undefined;
  await deliver(made.id);
  harness.provider.findRefund = findRefund;
  expect(await row()).toMatchObject({ refundedMinor: 0n });
  await work();
  expect(await row()).toMatchObject({ refundedMinor: 300n });
});

test('an event is kept while reads lag behind it: nothing else would ask again', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  const statusOf = async () =>
    (await harness.db.refund.findFirst({ where: { reference: `dashboard-${made.id}` } }))?.status;
  await deliver(made.id, 1, { state: 'pending' });
  expect(await statusOf()).toBe('pending');
  await work();
  expect(await statusOf()).toBe('succeeded');
  await harness.sandbox.control('refunds/fail', { refund: made.id });
  await deliver(made.id, 1, { state: 'succeeded' });
  expect(await row()).toMatchObject({ refundedMinor: 300n });
  await work();
  expect(await row()).toMatchObject({ refundedMinor: 0n });
});

test('a refund that failed while it was pending, and succeeds after all, is booked', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  await deliver(made.id, 1, { state: 'pending' });
  expect(await row()).toMatchObject({ refundedMinor: 300n });
  await deliver(made.id, 1, { state: 'failed' });
  expect(await row()).toMatchObject({ refundedMinor: 0n });
  await deliver(made.id);
  expect(await row()).toMatchObject({ refundedMinor: 300n });
});

test('a refund of a payment whose metadata was removed at the provider is booked', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  const { retrieveIntent } = harness.provider;
  harness.provider.retrieveIntent = async (...args) => {
    const found = await retrieveIntent(...args);
    if (found.kind !== 'responded') return found;
    return { ...found, intent: { ...found.intent, tenantId: undefined, operationId: undefined } };
  };
  await deliver(made.id);
  harness.provider.retrieveIntent = retrieveIntent;
  expect(await row()).toMatchObject({ refundedMinor: 300n });
});

describe('a refund of a payment that the database has lost, and whose event comes before the comparison', () => {
  async function refundLost(amount: number) {
    const { intentId, row } = await pay();
    const { operationId } = await row();
    await loseCommits(harness, operationId);
    const made = await refundInDashboard(intentId, amount);
    await deliver(made.id);
    return { intentId, row };
  }

  test('leaves nothing to decide if all is refunded, and the payment is not booked', async () => {
    const { intentId, row } = await refundLost(1200);
    await compareWith(harness);
    const where = { intentId };
    expect(await harness.db.reconciliationException.findMany({ where })).toMatchObject([
      { reason: 'record_lost', status: 'refunded' },
    ]);
    expect(await row()).toMatchObject({ status: 'released' });
  });

  test('counts against the payment, as soon as that is booked again', async () => {
    const { row } = await refundLost(300);
    await compareWith(harness);
    await work();
    expect(await row()).toMatchObject({ status: 'succeeded', refundedMinor: 300n });
  });
});

test('a refund is not ignored while the API key is that of another account, which has no such payment', async () => {
  const { intentId, row } = await pay();
  const made = await refundInDashboard(intentId, 300);
  const { retrieveIntent, findRefund } = harness.provider;
  const missing = async () => ({ kind: 'rejected', code: 'resource_missing' }) as const;
  Object.assign(harness.provider, { retrieveIntent: missing, findRefund: missing });
  await deliver(made.id);
  Object.assign(harness.provider, { retrieveIntent, findRefund });
  await work();
  expect(await row()).toMatchObject({ refundedMinor: 300n });
});

test('a refund of a payment that is not ours is ignored', async () => {
  const other = await stripe<{ id: string }>('payment_intents', {
    ...{ amount: '900', currency: 'usd', payment_method: 'pm_card_visa', confirm: 'true' },
    return_url: 'https://shop.example/return',
  });
  const made = await refundInDashboard(other.id, 900);
  await deliver(made.id);
  expect(await harness.db.refund.count({ where: { providerRefundId: made.id } })).toBe(0);
  expect(await harness.db.providerEvent.count({ where: { status: 'received' } })).toBe(0);
});

describe('a webhook that was acknowledged, and lost with the database', () => {
  /** The payments of the test were made ten minutes before the gap, so the provider lists nothing of them as created since. */
  async function loseWebhooks(act: () => Promise<unknown>): Promise<void> {
    await harness.db.$executeRaw`UPDATE database_history SET seen_at = now() + interval '10 minutes'`;
    await harness.sandbox.control('clock', { seconds: 900 });
    await act();
    await loseCommits(harness, randomUUID(), ['SELECT $1::text, $2::uuid']);
    await compareWith(harness);
    await work();
  }

  test('about a refund that the bank returned: the comparison reads it again, and it is booked back', async () => {
    const { id, row } = await pay();
    const first = bodyOf(await refund(id, 1200));
    const { providerRefundId } = await harness.db.refund.findFirstOrThrow({
      where: { id: String(first.refundId) },
    });
    await loseWebhooks(() => harness.sandbox.control('refunds/fail', { refund: providerRefundId }));
    expect(await row()).toMatchObject({ refundedMinor: 0n });
    expect(await harness.db.refund.findFirst({ where: { id: String(first.refundId) } })).toMatchObject({
      status: 'failed',
    });
  });

  test('about a refund made in the dashboard: it counts', async () => {
    const { intentId, row } = await pay();
    await loseWebhooks(() => refundInDashboard(intentId, 300));
    expect(await row()).toMatchObject({ refundedMinor: 300n });
  });

  test('is not read by a key that may not read events: payments go on, and it is reported', async () => {
    await loseCommits(harness, randomUUID(), ['SELECT $1::text, $2::uuid']);
    const listEvents = async () => ({ kind: 'rejected', code: 'StripePermissionError' }) as const;
    expect(await compareWith(harness, { ...harness.provider, listEvents })).toMatchObject({
      eventsRefused: 'StripePermissionError',
    });
    bodyOf(await harness.pay(command(), newKey()));
  });

  test('is read again after the API key was refused for a moment, while it is rotated', async () => {
    await loseCommits(harness, randomUUID(), ['SELECT $1::text, $2::uuid']);
    const { url: baseUrl } = harness.sandbox;
    const settings = { baseUrl, timeoutMs: 10_000, returnUrl: 'https://shop.example' };
    const { listEvents } = createStripeProvider({ ...settings, secretKey: 'sk_test_old' });
    const rotating = compareWith(harness, { ...harness.provider, listEvents });
    await expect(rotating).rejects.toThrow('StripeAuthenticationError');
    expect(await compareWith(harness)).toMatchObject({ eventsRefused: undefined });
  });

  test.for([
    ['whose pages lead back to each other', 'responded', 'provider_response_invalid'],
    ['that refuses a later page', 'rejected', 'resource_missing'],
  ] as const)('is read again from a list %s', async ([, kind, code]) => {
    await loseCommits(harness, randomUUID(), ['SELECT $1::text, $2::uuid']);
    let pages = 0;
    const listEvents: PaymentProvider['listEvents'] = async ({ after }) => {
      pages += 1;
      if (pages > 5) return { kind: 'responded', events: [], objectIds: [], next: undefined };
      if (after && kind === 'rejected') return { kind, code };
      return { kind: 'responded', events: [], objectIds: [], next: after === 'evt_1' ? 'evt_2' : 'evt_1' };
    };
    await expect(compareWith(harness, { ...harness.provider, listEvents })).rejects.toThrow(code);
    expect(await compareWith(harness)).toMatchObject({ eventsRefused: undefined });
  });
});

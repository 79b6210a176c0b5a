import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoreUnavailable } from '#idempotency/index.ts';
import { createPgDriver } from '#idempotency/stores/postgres.ts';
import { createRefundKind, runOperation } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { createEventReceiver, type Received, type VerifiedEvent } from './receive-events.ts';

let harness: PaymentHarness;
let pool: pg.Pool;
let receive: (event: VerifiedEvent) => Promise<Received>;

beforeAll(async () => {
  harness = await openPaymentHarness();
  pool = new pg.Pool({ connectionString: harness.databaseUrl, max: 4 });
  receive = createEventReceiver(createPgDriver(pool));
});
afterAll(async () => {
  await pool.end();
  await harness.close();
});

function eventOf(operationId: string, type: string, object: object): VerifiedEvent {
  return {
    provider: 'sandbox',
    eventId: `evt_${randomUUID()}`,
    type,
    operation: harness.refOf(operationId),
    payload: JSON.stringify({ data: { object } }),
  };
}

const find = (event: VerifiedEvent) =>
  harness.db.providerEvent.findFirstOrThrow({ where: { eventId: event.eventId } });

async function hasJob(event: VerifiedEvent): Promise<boolean> {
  const { id } = await find(event);
  const rows = await harness.db.$queryRaw<unknown[]>`
    SELECT FROM graphile_worker.jobs WHERE key = ${`provider_event:${id}`}`;
  return rows.length === 1;
}

async function pay(paymentMethod: string) {
  const outcome = await harness.pay(command({ paymentMethod }), newKey());
  const operationId = outcome.kind === 'refused' ? '' : outcome.operationId;
  const payment = await harness.db.payment.findFirstOrThrow({ where: { operationId } });
  return { operationId, payment, intentId: payment.providerIntentId ?? '' };
}

describe('an event that says what our books say', () => {
  test.each([
    ['pm_card_visa', 'payment_intent.succeeded', 'payment_intent', 'succeeded'],
    ['pm_card_visa', 'charge.succeeded', 'charge', 'succeeded'],
    [
      'pm_card_visa_chargeDeclined',
      'payment_intent.payment_failed',
      'payment_intent',
      'requires_payment_method',
    ],
    ['pm_card_visa_chargeDeclined', 'payment_intent.canceled', 'payment_intent', 'canceled'],
  ])(
    '%s, %s: is finished by the statement that stores it, without a job',
    async (card, type, object, status) => {
      const { operationId, intentId } = await pay(card);
      const about = object === 'charge' ? { id: 'ch_1', payment_intent: intentId } : { id: intentId };
      const event = eventOf(operationId, type, { object, status, ...about });
      expect(await receive(event)).toBe('nothing_new');
      expect(await find(event)).toMatchObject({
        status: 'processed',
        outcome: 'nothing_to_do: completed',
        processedAt: expect.any(Date),
      });
      expect(await hasJob(event)).toBe(false);
      expect(await receive(event)).toBe('duplicate');
    },
  );

  test('about a refund likewise', async () => {
    const { payment } = await pay('pm_card_visa');
    const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: newKey() };
    const input = { paymentId: payment.id, reference: 'return-1', amountMinor: 500 };
    const { operationId } = bodyOf(await runOperation(harness, createRefundKind, caller, input));
    const refund = await harness.db.refund.findFirstOrThrow({ where: { operationId: String(operationId) } });
    const object = {
      object: 'refund',
      id: refund.providerRefundId,
      payment_intent: payment.providerIntentId,
    };
    const succeeded = eventOf(String(operationId), 'refund.updated', { ...object, status: 'succeeded' });
    expect(await receive(succeeded)).toBe('nothing_new');
    const failed = eventOf(String(operationId), 'refund.failed', { ...object, status: 'failed' });
    expect(await receive(failed)).toBe('stored');
    expect(await hasJob(failed)).toBe(true);
  });
});

describe('an event that may bring something new has a job', () => {
  test.each([
    ['the outcome is unknown', 'pm_fault_charged_reset', 'succeeded', false],
    ['it is about another intent of the operation', 'pm_card_visa', 'succeeded', true],
    ['the payment is booked and the intent was cancelled', 'pm_card_visa', 'canceled', false],
    ['it was declined and the intent succeeded', 'pm_card_visa_chargeDeclined', 'succeeded', false],
  ])('%s', async (_, card, status, another) => {
    const { operationId, intentId } = await pay(card);
    const object = { object: 'payment_intent', id: another ? 'pi_another' : intentId, status };
    const event = eventOf(operationId, 'payment_intent.succeeded', object);
    expect(await receive(event)).toBe('stored');
    expect(await find(event)).toMatchObject({ status: 'received', processedAt: null });
    expect(await hasJob(event)).toBe(true);
  });

  test('an operator asserted that it was charged', async () => {
    const { operationId, intentId, payment } = await pay('pm_card_visa');
    await harness.db.payment.updateMany({ where: { id: payment.id }, data: { assertedAt: new Date() } });
    const event = eventOf(operationId, 'payment_intent.succeeded', {
      ...{ object: 'payment_intent', id: intentId, status: 'succeeded' },
    });
    expect(await receive(event)).toBe('stored');
  });
});

test('fifty events at once share few statements; one that cannot be stored harms no other, and the same one is stored once', async () => {
  const { operationId, intentId } = await pay('pm_card_visa');
  const known = { object: 'payment_intent', id: intentId, status: 'succeeded' };
  const events = Array.from({ length: 50 }, () => eventOf(operationId, 'payment_intent.succeeded', known));
  const [first] = events;
  if (!first) throw new Error('There is no event.');
  // PostgreSQL's jsonb holds no NUL.
  const bad = { ...first, eventId: `evt_${randomUUID()}`, payload: '{"data":{"object":{"id":"\\u0000"}}}' };
  let statements = 0;
  const counted = createEventReceiver({
    ...createPgDriver(pool),
    query: (statement) => {
      statements += 1;
      return createPgDriver(pool).query(statement);
    },
  });
  const results = await Promise.allSettled([...events, first, bad].map((event) => counted(event)));
  expect(results.map(({ status }) => status)).toEqual([...Array(51).fill('fulfilled'), 'rejected']);
  expect(statements).toBeLessThan(25);
  expect(
    await harness.db.providerEvent.count({ where: { eventId: { in: events.map((one) => one.eventId) } } }),
  ).toBe(50);
});

test('an event for which the database has no time is refused as unavailable, and the provider sends it again', async () => {
  const receiveNothing = createEventReceiver({
    ...createPgDriver(pool),
    query: () => new Promise(() => undefined),
  });
  const send = () => receiveNothing(eventOf(randomUUID(), 'charge.updated', {}));
  for (let waiting = 0; waiting < 10_000; waiting += 1) void send().catch(() => undefined);
  await expect(send()).rejects.toThrow(StoreUnavailable);
});

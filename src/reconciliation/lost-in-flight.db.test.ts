import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operationRefOf } from '#idempotency/index.ts';
import type { CreatePayment, PaymentProvider, ProviderResult } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { compareWith, loseCommits, reconcilerOf } from './testing/lost-commits.ts';

/**
 * A failover loses the commits of a payment whose confirm is on its way, or whose intent was made long before. Its reference is
 * free afterwards, so another key may pay for it: the lost one must be booked, or unable to charge.
 */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const unrecorded = `provider_charge_id = NULL, completed_at = NULL WHERE tenant_id = $1 AND operation_id = $2::uuid`;
const noResponse = `response_status = NULL, response_body = NULL, response_key_id = NULL, response_schema_version = NULL,
  resource_type = NULL, resource_id = NULL, completed_at = NULL, expires_at = NULL WHERE tenant_id = $1 AND id = $2::uuid`;
const released = `UPDATE idempotency_record SET status = 'failed_retryable', recovery_point = 'claimed', effect_sent = false,
  lease_until = NULL, ${noResponse}`;
const claimed = `UPDATE idempotency_record SET status = 'in_progress', recovery_point = 'claimed', effect_sent = false,
  lease_until = now() + interval '1 minute', ${noResponse}`;

/** What is left of the payment. */
const left = {
  nothing: [],
  'its claim': [`UPDATE payment SET status = 'pending', provider_intent_id = NULL, ${unrecorded}`, claimed],
  'its claim, whose lease is over': [
    `UPDATE payment SET status = 'pending', provider_intent_id = NULL, ${unrecorded}`,
    claimed.replace('+ interval', '- interval'),
  ],
  'an earlier attempt that was released': [`UPDATE payment SET status = 'released', ${unrecorded}`, released],
  'the claim of a later attempt': [`UPDATE payment SET status = 'pending', ${unrecorded}`, claimed],
} as const;

async function isPaidOnce(reference: string): Promise<void> {
  const other = await harness.pay(command({ reference }), newKey());
  expect(other).toMatchObject(
    other.kind === 'completed'
      ? { kind: 'completed' }
      : {
          problem: {
            spec: { code: 'payment_exists_for_reference' },
            extensions: { paymentStatus: 'succeeded' },
          },
        },
  );
  const charged = (await harness.sandbox.charges(reference)).filter(({ status }) => status === 'succeeded');
  expect(charged).toHaveLength(1);
}

/** The result of a confirm that was on its way while the database was lost and compared. */
async function payLate(
  payCommand: CreatePayment,
  key: string,
  rows: readonly string[],
): Promise<ProviderResult> {
  const { promise: late, resolve, reject } = Promise.withResolvers<ProviderResult>();
  const confirmIntent: PaymentProvider['confirmIntent'] = async (id, request) => {
    await loseCommits(harness, request.operationId, rows);
    await compareWith(harness);
    return harness.provider.confirmIntent(id, request);
  };
  const inFlight: PaymentHarness['provider'] = {
    ...harness.provider,
    confirmIntent: (id, request) => {
      confirmIntent(id, request).then(resolve, reject);
      return late;
    },
  };
  await harness.pay(payCommand, key, inFlight);
  // Its owner may have stopped waiting, because its record is gone. If it is there, it is unknown, and the poller asks.
  const result = await late;
  const scope = { tenantId: harness.tenantId, operation: 'payment.create', key };
  await reconcilerOf(harness).reconcile(operationRefOf(scope), 'poller');
  return result;
}

describe.each(Object.entries(left))('of a payment is left: %s', (_, rows) => {
  test('a confirm that arrives after the comparison charges nothing: another key may pay', async () => {
    const [payCommand, key] = [command(), newKey()];
    const late = await payLate(payCommand, key, rows);
    expect(late).toMatchObject({ kind: 'responded', intent: { state: 'canceled' } });
    await isPaidOnce(payCommand.reference);
  });

  test('a confirm that arrived before the comparison is booked: no other key pays', async () => {
    const payCommand = command();
    const first = bodyOf(await harness.pay(payCommand, newKey()));
    await loseCommits(harness, String(first.operationId), rows);
    await compareWith(harness);
    await isPaidOnce(payCommand.reference);
  });
});

test('a payment that waits for the shopper at their bank, and was not lost, is left alone by the comparison', async () => {
  const key = newKey();
  await harness.pay(command({ paymentMethod: 'pm_card_threeDSecure2Required' }), key);
  const { id } = operationRefOf({ tenantId: harness.tenantId, operation: 'payment.create', key });
  await loseCommits(harness, id, ['SELECT $1::text, $2::uuid']);
  await compareWith(harness);
  const payment = await harness.db.payment.findFirstOrThrow({ where: { operationId: id } });
  expect(payment).toMatchObject({ status: 'pending', generation: 1 });
  expect(await harness.provider.retrieveIntent(payment.providerIntentId ?? '')).toMatchObject({
    intent: { state: 'requires_action' },
  });
});

describe('an intent that was made long before the gap, and kept by an attempt that was released', () => {
  const unreachable = async () => ({ kind: 'not_executed', code: 'provider_unreachable' }) as const;

  async function keepIntent() {
    const [payCommand, key] = [command(), newKey()];
    await harness.pay(payCommand, key, { ...harness.provider, confirmIntent: unreachable });
    const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
    expect(payment).toMatchObject({ status: 'released', providerIntentId: expect.any(String) });
    // Everything so far was committed, and seen, ten minutes before the database was lost.
    await harness.db.$executeRaw`
      UPDATE payment SET created_at = now() - interval '20 minutes' WHERE operation_id = ${payment.operationId}::uuid`;
    await harness.db.$executeRaw`UPDATE database_history SET seen_at = now() + interval '10 minutes'`;
    return { payCommand, key, payment };
  }

  test('and charged by an attempt that was lost is booked: no other key pays, and its own gets its response', async () => {
    const { payCommand, key, payment } = await keepIntent();
    const first = bodyOf(await harness.pay(payCommand, key));
    await loseCommits(harness, payment.operationId, left['an earlier attempt that was released']);
    await compareWith(harness);
    await isPaidOnce(payCommand.reference);
    expect(bodyOf(await harness.pay(payCommand, key))).toEqual(first);
  });

  test.each(['an earlier attempt that was released', 'the claim of a later attempt'] as const)(
    'and confirmed after the comparison, by an attempt of which is left: %s, charges nothing',
    async (what) => {
      const { payCommand, key } = await keepIntent();
      const late = await payLate(payCommand, key, left[what]);
      expect(late).toMatchObject({ kind: 'responded', intent: { state: 'canceled' } });
      await isPaidOnce(payCommand.reference);
    },
  );
});

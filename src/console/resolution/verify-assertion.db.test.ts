import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createEventFollower, refundException } from '#payments/index.ts';
import { processProviderEvent, verifyAssertion, verifyAssertionTask } from '#reconciliation/index.ts';
import {
  type OperatorsHarness,
  openOperatorsHarness,
  person,
  type Script,
} from '../testing/operators-harness.ts';
import { type Person, resolveOperation } from './resolve.ts';

let harness: OperatorsHarness;
let approver: Person;
beforeAll(async () => {
  harness = await openOperatorsHarness();
  approver = person(harness.tenantId, 'approver');
  // One operator's assertion is enough here.
  await harness.db.tenantSettings.create({ data: { tenantId: harness.tenantId, fourEyes: false } });
});
afterEach(clearScript);
afterAll(() => harness.close());

function clearScript(): void {
  for (const name of Object.keys(harness.script)) delete harness.script[name as keyof Script];
}

async function override(operationId: string, assertion: 'charged' | 'refunded'): Promise<void> {
  const silent = { kind: 'ambiguous', code: 'provider_timeout' } as const;
  Object.assign(harness.script, { retrieve: () => silent, findRefund: () => silent } satisfies Script);
  const examined = await harness.services.assertions.examine(harness.refOf(operationId));
  const result = await resolveOperation(harness.services, approver, {
    operationId,
    assertion,
    reason: 'The bank statement shows it.',
    digest: examined?.digest ?? '',
  });
  if (result.kind !== 'overridden') throw new Error(`Expected an override, got ${JSON.stringify(result)}`);
}

const verify = (operationId: string) =>
  verifyAssertion({ ...harness, follower: createEventFollower(harness) }, harness.refOf(operationId));

const exceptionsOf = (operationId: string) =>
  harness.db.reconciliationException.findMany({
    where: {
      tenantId: harness.tenantId,
      OR: [{ payment: { operationId } }, { refund: { operationId } }],
    },
  });

/** In how many seconds the provider is asked again. */
async function nextVerification(operationId: string): Promise<number | undefined> {
  const [job] = await harness.db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM run_at - clock_timestamp())::float8 AS seconds FROM graphile_worker.jobs
    WHERE key = ${`${verifyAssertionTask}:${harness.tenantId}:${operationId}`}`;
  return job?.seconds;
}

const paymentOf = (operationId: string) =>
  harness.db.payment.findFirstOrThrow({ where: { tenantId: harness.tenantId, operationId } });

describe('a payment that was booked on an operator’s assertion', () => {
  test('is asked about an hour later, and daily while the provider says nothing', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    await override(operationId, 'charged');
    expect(await nextVerification(operationId)).toBeGreaterThan(3_500);
    expect(await verify(operationId)).toBe('later');
    expect(await nextVerification(operationId)).toBeGreaterThan(86_000);
    expect((await paymentOf(operationId)).assertedAt).not.toBeNull();
    expect(await exceptionsOf(operationId)).toEqual([]);
  });

  test('is asked about again when the provider does not know its intent, as with the key of another account', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    await override(operationId, 'charged');
    harness.script.retrieve = () => ({ kind: 'rejected', code: 'resource_missing' });
    expect(await verify(operationId)).toBe('later');
    clearScript();
    expect(await verify(operationId)).toBe('verified');
    expect((await paymentOf(operationId)).assertedAt).toBeNull();
  });

  test('is no longer asked about when the provider confirms it', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_charged_500');
    await override(operationId, 'charged');
    clearScript();
    expect(await verify(operationId)).toBe('verified');
    expect((await paymentOf(operationId)).assertedAt).toBeNull();
    expect(await exceptionsOf(operationId)).toEqual([]);
  });

  test('is an exception when the provider denies it, once, and there is nothing to refund', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_not_charged_500');
    await override(operationId, 'charged');
    clearScript();
    expect(await verify(operationId)).toBe('verified');
    await verify(operationId);
    const found = await exceptionsOf(operationId);
    expect(found).toMatchObject([{ reason: 'assertion_denied', status: 'open' }]);
    const refunded = await refundException(harness, harness.tenantId, found[0]?.id ?? '', { actor: 'test' });
    expect(refunded).toEqual({ kind: 'not_open' });
  });

  test('is an exception when a webhook makes us ask and the provider denies it', async () => {
    const { operationId } = await harness.payUnknown('pm_fault_not_charged_500');
    await override(operationId, 'charged');
    clearScript();
    const { providerIntentId: intentId } = await paymentOf(operationId);
    const { id } = await harness.db.providerEvent.create({
      data: {
        provider: 'sandbox',
        eventId: `evt_${randomUUID()}`,
        type: 'payment_intent.payment_failed',
        tenantId: harness.tenantId,
        operationId,
        payload: { data: { object: { object: 'payment_intent', id: intentId } } },
      },
    });
    const follower = createEventFollower(harness);
    await processProviderEvent({ ...harness, ...harness.services, follower }, id);
    expect(await exceptionsOf(operationId)).toMatchObject([{ reason: 'assertion_denied' }]);
  });
});

describe('a refund that was booked on an operator’s assertion', () => {
  test('is no longer asked about when the provider confirms it', async () => {
    const { operationId } = await harness.refundUnknown(true);
    await override(operationId, 'refunded');
    clearScript();
    expect(await verify(operationId)).toBe('verified');
    const refund = await harness.db.refund.findFirstOrThrow({ where: { operationId } });
    expect(refund).toMatchObject({ status: 'succeeded', assertedAt: null });
  });

  test('is not confirmed by a refund of another amount', async () => {
    const { operationId } = await harness.refundUnknown(true);
    await override(operationId, 'refunded');
    const refund = { id: 're_x', state: 'succeeded', amountMinor: 7, currency: 'usd' } as const;
    const result = { kind: 'responded', refund: { ...refund, generation: 1, reference: undefined } } as const;
    harness.script.findRefund = () => result;
    expect(await verify(operationId)).toBe('later');
    clearScript();
    expect(await verify(operationId)).toBe('verified');
  });

  test('is an exception when the provider lists none long after the last request for it, and not before', async () => {
    const { operationId } = await harness.refundUnknown(false);
    await override(operationId, 'refunded');
    clearScript();
    expect(await verify(operationId)).toBe('later');
    await harness.db.$transaction(async (tx) => {
      await tx.$executeRaw`SET LOCAL session_replication_role = replica`;
      await tx.$executeRaw`
        UPDATE idempotency_record SET created_at = created_at - interval '26 hours',
          unknown_since = unknown_since - interval '3 hours'
        WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
    });
    expect(await verify(operationId)).toBe('verified');
    expect(await exceptionsOf(operationId)).toMatchObject([{ reason: 'assertion_denied' }]);
  });
});

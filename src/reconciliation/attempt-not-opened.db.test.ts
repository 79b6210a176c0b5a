import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationRef } from '#idempotency/index.ts';
import {
  createEventFollower,
  createPaymentKind,
  createRefundKind,
  openException,
  refundException,
  runOperation,
} from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { processProviderEvent } from './provider-events.ts';
import { compareWith, loseCommits, reconcilerOf } from './testing/lost-commits.ts';

/**
 * A key was released and is tried again: its record is in progress, and its payment or refund is not opened so far. Evidence may
 * come at that moment. A database that was replaced may have lost the commit that opened it.
 */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const unreachable = { kind: 'not_executed', code: 'provider_unreachable' } as const;
const caller = (keyHeader: string) => ({ tenantId: harness.tenantId, principal: 'tester', keyHeader });
const paymentOf = (reference: string) => harness.db.payment.findFirstOrThrow({ where: { reference } });

/** The provider charged, and we believed that it had not. */
async function chargedAndReleased() {
  const [input, key] = [command(), newKey()];
  await harness.pay(input, key, {
    ...harness.provider,
    async confirmIntent(...call) {
      await harness.provider.confirmIntent(...call);
      return unreachable;
    },
  });
  const { id, operationId, providerIntentId } = await paymentOf(input.reference);
  const intentId = providerIntentId ?? '';
  /** Between the claim and the next commit `meanwhile` happens. */
  const payAgain = (meanwhile: (operation: OperationRef) => Promise<void>) =>
    harness.engine.run(createPaymentKind.definition, { ...caller(key), input }, async (execution) => {
      await meanwhile(execution.ref);
      return createPaymentKind.handle(harness.provider, execution, input);
    });
  return { reference: input.reference, paymentId: id, operationId, intentId, payAgain };
}

async function paid() {
  const { paymentId } = bodyOf(await harness.pay(command(), newKey()));
  return { paymentId: String(paymentId), reference: 'return-1', amountMinor: 500 };
}

async function isRefunded({ paymentId }: { paymentId: string }, amountMinor: bigint): Promise<void> {
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  expect(payment.refundedMinor).toBe(amountMinor);
  expect(await harness.db.refund.findMany({ where: { paymentId } })).toMatchObject([
    { status: 'succeeded', amountMinor },
  ]);
}

test('a refund that evidence completes before it is reserved again counts against its payment', async () => {
  const [input, key] = [await paid(), newKey()];
  const createRefund: typeof harness.provider.createRefund = async (request) => {
    await harness.provider.createRefund(request);
    return unreachable;
  };
  const lossy = { ...harness, provider: { ...harness.provider, createRefund } };
  expect(await runOperation(lossy, createRefundKind, caller(key), input)).toMatchObject({ kind: 'refused' });
  const again = await harness.engine.run(
    createRefundKind.definition,
    { ...caller(key), input },
    async (execution) => {
      const reconciled = await reconcilerOf(harness).reconcile(execution.ref, 'webhook:evt_1');
      expect(reconciled).toMatchObject({ kind: 'completed' });
      return createRefundKind.handle(harness.provider, execution, input);
    },
  );
  expect(bodyOf(again)).toMatchObject({ status: 'succeeded' });
  await isRefunded(input, 500n);
});

test('a payment whose money an operator has given back is not completed by evidence: its key is over', async () => {
  const { paymentId, intentId, reference, payAgain } = await chargedAndReleased();
  const about = { tenantId: harness.tenantId, paymentId, intentId };
  await openException(harness.db, { ...about, reason: 'charged_after_release' });
  const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
  const refunded = await refundException(harness, harness.tenantId, id, { actor: 'operator:1' });
  expect(refunded).toEqual({ kind: 'refunded' });
  const again = await payAgain(async (operation) => {
    await reconcilerOf(harness).reconcile(operation, 'webhook:evt_1');
  });
  expect(again).toMatchObject({ problem: { spec: { code: 'idempotency_key_expired' } } });
  expect(await paymentOf(reference)).toMatchObject({ status: 'released' });
});

test('an event that comes then is kept: the attempt may end without having asked, and the money is flagged', async () => {
  const { operationId, intentId, payAgain } = await chargedAndReleased();
  const { db } = harness;
  const operation = harness.refOf(operationId);
  const { id } = await db.providerEvent.create({
    data: {
      ...{ provider: 'sandbox', eventId: `evt_${randomUUID()}`, type: 'payment_intent.succeeded' },
      ...{ tenantId: harness.tenantId, operationId },
      payload: { data: { object: { object: 'payment_intent', id: intentId, status: 'succeeded' } } },
    },
  });
  const parts = { db, reconciler: reconcilerOf(harness), follower: createEventFollower(harness) };
  await payAgain(async () => {
    await expect(processProviderEvent(parts, id)).rejects.toThrow('not_opened_yet');
    throw new Error('The process has no memory left.');
  });
  expect(await harness.store.findById(operation)).toMatchObject({ status: 'failed_retryable' });
  await processProviderEvent(parts, id);
  expect(await db.providerEvent.findUniqueOrThrow({ where: { id } })).toMatchObject({ outcome: 'exception' });
});

test('a refund whose reservation the database has lost is unknown, and booked when it was compared', async () => {
  const input = await paid();
  const createRefund: typeof harness.provider.createRefund = async (request) => {
    const made = await harness.provider.createRefund(request);
    await loseCommits(harness, request.operationId, [
      `UPDATE payment SET refunded_minor = 0 WHERE tenant_id = $1 AND id IN (
        SELECT payment_id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
      'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
    ]);
    return made;
  };
  const failover = { ...harness, provider: { ...harness.provider, createRefund } };
  const refunded = await runOperation(failover, createRefundKind, caller(newKey()), input);
  expect(refunded).toMatchObject({ kind: 'pending', status: 'unknown' });
  await compareWith(harness);
  await isRefunded(input, 500n);
});

test('a payment that the database has lost is unknown, and booked when it was compared', async () => {
  const input = command();
  const paying = await harness.pay(input, newKey(), {
    ...harness.provider,
    async confirmIntent(id, request) {
      const confirmed = await harness.provider.confirmIntent(id, request);
      await loseCommits(harness, request.operationId, [
        'DELETE FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid',
      ]);
      return confirmed;
    },
  });
  expect(paying).toMatchObject({ kind: 'pending', status: 'unknown' });
  await compareWith(harness);
  expect(await paymentOf(input.reference)).toMatchObject({ status: 'succeeded' });
});

test('a payment of which only the claim of a later attempt is left is booked as soon as its lease is over', async () => {
  const { operationId, reference, payAgain } = await chargedAndReleased();
  const compared: unknown[] = [];
  await payAgain(async () => {
    await loseCommits(harness, operationId, [
      'UPDATE payment SET provider_charge_id = NULL WHERE tenant_id = $1 AND operation_id = $2::uuid',
    ]);
    compared.push(await compareWith(harness).catch(String));
    await harness.db.$executeRaw`
      UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 second'
      WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
    compared.push(await compareWith(harness));
  });
  expect(compared).toEqual([
    expect.stringContaining('not_opened_yet'),
    expect.objectContaining({ differed: expect.any(Number) }),
  ]);
  expect(await paymentOf(reference)).toMatchObject({ status: 'succeeded' });
});

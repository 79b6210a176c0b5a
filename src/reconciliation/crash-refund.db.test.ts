import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CreateRefund } from '#payments/index.ts';
import { bodyOf } from '#payments/testing/harness.ts';
import { type CrashHarness, codeOf, openCrashHarness, past, shortOf } from './testing/crash-harness.ts';

let harness: CrashHarness;
beforeAll(async () => {
  harness = await openCrashHarness();
});
afterAll(() => harness.close());

/** One refund in the provider's own books, and ours complete and balanced. */
async function expectRefundedOnce(refund: { command: CreateRefund; key: string; reference: string }) {
  expect(await harness.sandbox.charges(refund.reference)).toMatchObject([{ amount_refunded: 500 }]);
  const record = await harness.findRecord(refund.key);
  expect(record).toMatchObject({ status: 'completed', recoveryPoint: 'finished' });
  expect(await harness.sandbox.refundsOf(record?.id ?? '')).toMatchObject([{ status: 'succeeded' }]);
  const payment = await harness.healthy.db.payment.findFirstOrThrow({
    where: { tenantId: harness.tenantId, id: refund.command.paymentId },
    include: {
      ledger: { where: { kind: 'refund' } },
      refunds: true,
      events: { where: { type: 'refund.succeeded' } },
    },
  });
  expect(payment).toMatchObject({ refundedMinor: 500n, refunds: [{ status: 'succeeded' }], events: [{}] });
  expect(payment.ledger.map(({ amountMinor }) => amountMinor).toSorted()).toEqual([-500n, 500n]);
  expect(await harness.healthy.refund(refund.command, refund.key)).toMatchObject({ replayed: true });
}

describe('row 15: killed before the refund may have left', () => {
  test.each([
    { when: 'with the key taken', dies: past('claimed') },
    { when: 'before the sending was recorded', dies: shortOf('refund_sent') },
  ])(
    '$when: the expired lease proves that nothing was sent, and the retry itself refunds once',
    async (row) => {
      const refund = await harness.refundAndDie(row.dies);
      expect(await harness.findRecord(refund.key)).toMatchObject({
        status: 'in_progress',
        recoveryPoint: 'claimed',
      });
      const operationId = await harness.letLeaseRunOut(refund.key);
      expect(bodyOf(await harness.healthy.refund(refund.command, refund.key))).toMatchObject({
        status: 'succeeded',
        operationId,
      });
      expect(await harness.expiredInto(operationId)).toEqual(['failed_retryable']);
      await expectRefundedOnce(refund);
    },
  );
});

describe('row 15: killed when the refund may have left', () => {
  test.each([
    { when: 'with the sending recorded, but nothing sent', dies: past('refund_sent') },
    { when: 'when the provider has responded', dies: 'when the provider has responded' as const },
    { when: 'before the end was committed', dies: shortOf('finished') },
  ])('$when: the expired lease proves nothing, reconciliation ends it, refunded once', async (row) => {
    const refund = await harness.refundAndDie(row.dies);
    expect(await harness.findRecord(refund.key)).toMatchObject({
      status: 'in_progress',
      recoveryPoint: 'refund_sent',
    });
    expect(codeOf(await harness.healthy.refund(refund.command, refund.key))).toBe(
      'idempotency_key_in_progress',
    );
    const operationId = await harness.letLeaseRunOut(refund.key);
    expect(await harness.healthy.refund(refund.command, refund.key)).toEqual({
      kind: 'pending',
      operationId,
      status: 'unknown',
    });
    expect(await harness.reconciler.reconcile(harness.refOf(operationId), 'test')).toEqual({
      kind: 'completed',
      cause: 'provider_succeeded',
    });
    await expectRefundedOnce(refund);
  });

  test('after the end was committed: there is nothing to repair, and the retry replays', async () => {
    await expectRefundedOnce(await harness.refundAndDie(past('finished')));
  });
});

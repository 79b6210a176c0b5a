import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CreatePayment, createPaymentKind } from '#payments/index.ts';
import { bodyOf, newKey } from '#payments/testing/harness.ts';
import { type CrashHarness, codeOf, openCrashHarness, past, shortOf } from './testing/crash-harness.ts';

let harness: CrashHarness;
beforeAll(async () => {
  harness = await openCrashHarness();
});
afterAll(() => harness.close());

/** I1 and I2: one charge in the provider's own books, and ours complete and balanced. */
async function expectPaidOnce({
  command: payCommand,
  key,
}: {
  command: CreatePayment;
  key: string;
}): Promise<void> {
  expect(await harness.sandbox.charges(payCommand.reference)).toMatchObject([
    { status: 'succeeded', amount: 1200 },
  ]);
  expect(await harness.findRecord(key)).toMatchObject({ status: 'completed', recoveryPoint: 'finished' });
  const payments = await harness.healthy.db.payment.findMany({
    where: { tenantId: harness.tenantId, reference: payCommand.reference },
    include: { ledger: true, events: true },
  });
  expect(payments).toMatchObject([{ status: 'succeeded', events: [{ type: 'payment.succeeded' }] }]);
  const entries = payments.flatMap(({ ledger }) => ledger.map(({ amountMinor }) => amountMinor));
  expect(entries.toSorted()).toEqual([-1200n, 1200n]);
  expect(await harness.healthy.pay(payCommand, key)).toMatchObject({ kind: 'completed', replayed: true });
}

describe('row 15: killed before the confirm may have left', () => {
  test.each([
    { when: 'with the key and the reference taken', dies: past('claimed') },
    { when: 'before the intent and the sending were recorded', dies: shortOf('confirm_sent') },
  ])('$when: the expired lease proves that nothing was sent, and the retry itself pays once', async (row) => {
    const payment = await harness.payAndDie(row.dies);
    expect(await harness.findRecord(payment.key)).toMatchObject({
      status: 'in_progress',
      attempt: 1,
      recoveryPoint: 'claimed',
    });
    const left = await harness.healthy.db.payment.findFirst({
      where: { reference: payment.command.reference },
    });
    expect(left).toMatchObject({ status: 'pending', providerIntentId: null });
    expect(codeOf(await harness.healthy.pay(payment.command, payment.key))).toBe(
      'idempotency_key_in_progress',
    );

    const operationId = await harness.letLeaseRunOut(payment.key);
    expect(bodyOf(await harness.healthy.pay(payment.command, payment.key))).toMatchObject({
      status: 'succeeded',
      operationId,
    });
    expect(await harness.expiredInto(operationId)).toEqual(['failed_retryable']);
    expect(await harness.findRecord(payment.key)).toMatchObject({ attempt: 2 });
    await expectPaidOnce(payment);
  });

  test('before the key was taken: nothing is left, and the retry is the first attempt', async () => {
    const payment = await harness.payAndDie(shortOf('claimed'));
    expect(await harness.findRecord(payment.key)).toBeNull();
    expect(bodyOf(await harness.healthy.pay(payment.command, payment.key))).toMatchObject({
      status: 'succeeded',
    });
    expect(await harness.findRecord(payment.key)).toMatchObject({ attempt: 1 });
    await expectPaidOnce(payment);
  });
});

describe('row 15: killed when the confirm may have left', () => {
  test.each([
    {
      when: 'with the sending recorded, but nothing sent',
      dies: past('confirm_sent'),
      reconciled: { kind: 'released', cause: 'payment_canceled' },
    },
    {
      when: 'when the provider has responded',
      dies: 'when the provider has responded' as const,
      reconciled: { kind: 'completed', cause: 'provider_succeeded' },
    },
    {
      when: 'before the end was committed',
      dies: shortOf('finished'),
      reconciled: { kind: 'completed', cause: 'provider_succeeded' },
    },
  ])(
    '$when: the expired lease proves nothing, only the provider’s evidence resolves it, paid once',
    async (row) => {
      const payment = await harness.payAndDie(row.dies);
      expect(await harness.findRecord(payment.key)).toMatchObject({
        status: 'in_progress',
        recoveryPoint: 'confirm_sent',
      });
      expect(codeOf(await harness.healthy.pay(payment.command, payment.key))).toBe(
        'idempotency_key_in_progress',
      );

      const operationId = await harness.letLeaseRunOut(payment.key);
      const unknown = { kind: 'pending', operationId, status: 'unknown' };
      expect(await harness.healthy.pay(payment.command, payment.key)).toEqual(unknown);
      expect(await harness.healthy.pay(payment.command, payment.key)).toEqual(unknown);
      expect(await harness.expiredInto(operationId)).toEqual(['unknown']);

      expect(await harness.reconciler.reconcile(harness.refOf(operationId), 'test')).toEqual(row.reconciled);
      expect(bodyOf(await harness.healthy.pay(payment.command, payment.key))).toMatchObject({
        status: 'succeeded',
        operationId,
      });
      await expectPaidOnce(payment);
    },
  );

  test('after the end was committed: there is nothing to repair, and the retry replays', async () => {
    const payment = await harness.payAndDie(past('finished'));
    expect(await harness.findRecord(payment.key)).toMatchObject({ status: 'completed', attempt: 1 });
    expect(await harness.healthy.pay(payment.command, payment.key)).toMatchObject({
      kind: 'completed',
      replayed: true,
    });
    await expectPaidOnce(payment);
  });
});

describe('row 15: without a retry, the sweeper finds the expired lease', () => {
  async function sweep(key: string) {
    const record = await harness.healthy.store.findById(harness.refOf(await harness.letLeaseRunOut(key)));
    if (!record) throw new Error('the record is gone');
    return harness.healthy.engine.expireLease(createPaymentKind.definition, record, 'sweeper');
  }

  test('before the confirm: the key and the reference are free again, and nothing was charged', async () => {
    const payment = await harness.payAndDie(shortOf('confirm_sent'));
    expect(await sweep(payment.key)).toMatchObject({
      status: 'failed_retryable',
      recoveryPoint: 'claimed',
    });
    expect(await harness.sandbox.charges(payment.command.reference)).toEqual([]);
    const other = { ...payment, key: newKey() };
    expect(bodyOf(await harness.healthy.pay(other.command, other.key))).toMatchObject({
      status: 'succeeded',
    });
    expect(codeOf(await harness.healthy.pay(payment.command, payment.key))).toBe(
      'payment_exists_for_reference',
    );
    expect(await harness.sandbox.charges(payment.command.reference)).toHaveLength(1);
  });

  test('after the confirm: the payment is found and completed without a request', async () => {
    const payment = await harness.payAndDie('when the provider has responded');
    const swept = await sweep(payment.key);
    expect(swept).toMatchObject({ status: 'unknown', recoveryPoint: 'confirm_sent' });
    expect(await harness.reconciler.reconcile(harness.refOf(swept?.id ?? ''), 'poller')).toMatchObject({
      kind: 'completed',
    });
    await expectPaidOnce(payment);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runOperation } from '#payments/operations/run-operation.ts';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import { failRefund } from '../operations/create-refund/complete-refund.ts';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import { findRefundByOperation } from '../operations/create-refund/refund.ts';
import type { PaymentProvider } from '../provider.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../testing/harness.ts';
import { createExceptionFollower } from './follow-exception.ts';
import { openException } from './open-exception.ts';
import { refundException } from './refund-exception.ts';

// An operator decides about money while the key that moved it, or the provider, is at work as well.
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

const operator = { actor: 'operator:1' };
const refundAs = (exceptionId: string, over: Partial<PaymentProvider> = {}) =>
  refundException(
    { ...harness, provider: { ...harness.provider, ...over } },
    harness.tenantId,
    exceptionId,
    operator,
  );
const find = (id: string) =>
  harness.db.reconciliationException.findUniqueOrThrow({
    where: { tenantId_id: { tenantId: harness.tenantId, id } },
  });

/** The provider charged, and we believed that it had not: the payment is released. */
async function releasedAlthoughCharged() {
  const [payCommand, key] = [command(), newKey()];
  const refused = await harness.pay(payCommand, key, {
    ...harness.provider,
    async confirmIntent(...call) {
      await harness.provider.confirmIntent(...call);
      return { kind: 'not_executed', code: 'provider_unreachable' };
    },
  });
  expect(refused).toMatchObject({ kind: 'refused' });
  const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
  const intentId = payment.providerIntentId ?? '';
  /** What an event about the intent leads to. */
  const follow = (over: Partial<PaymentProvider> = {}) =>
    createPaymentKind
      .createFollower({ ...harness, provider: { ...harness.provider, ...over } })
      .follow({ operation: harness.refOf(payment.operationId), object: 'payment_intent', intentId });
  return { payCommand, key, intentId, follow };
}

/** The same, and the money is flagged. */
async function chargedAfterRelease() {
  const { follow, ...released } = await releasedAlthoughCharged();
  await follow();
  const { intentId } = released;
  const exception = await harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
  return { ...released, exceptionId: exception.id };
}

describe('money of a released payment whose key is tried again while the provider is asked about it', () => {
  const statusOf = async (intentId: string) =>
    (await harness.db.payment.findFirstOrThrow({ where: { providerIntentId: intentId } })).status;
  // An operator would be offered to give back what was bought.
  const exceptionsOf = (intentId: string) =>
    harness.db.reconciliationException.count({ where: { intentId } });

  test('is not flagged after the key has booked it', async () => {
    const { payCommand, key, intentId, follow } = await releasedAlthoughCharged();
    const followed = await follow({
      async retrieveIntent(...call) {
        const found = await harness.provider.retrieveIntent(...call);
        await harness.pay(payCommand, key);
        return found;
      },
    });
    expect([await statusOf(intentId), followed]).toEqual(['succeeded', undefined]);
    expect(await exceptionsOf(intentId)).toBe(0);
  });

  test('is not flagged while the key is about to book it', async () => {
    const { payCommand, key, intentId, follow } = await releasedAlthoughCharged();
    const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let paid: Promise<unknown> | undefined;
    const followed = await follow({
      async retrieveIntent(...call) {
        const found = await harness.provider.retrieveIntent(...call);
        paid = harness.pay(payCommand, key, {
          ...harness.provider,
          async confirmIntent(...confirm) {
            reached.resolve();
            await goOn.promise;
            return harness.provider.confirmIntent(...confirm);
          },
        });
        await reached.promise;
        return found;
      },
    });
    // It may be released once more, so the event is processed again later.
    expect([await statusOf(intentId), followed]).toEqual([
      'pending',
      { kind: 'no_evidence', code: 'payment_pending' },
    ]);
    expect(await exceptionsOf(intentId)).toBe(0);
    goOn.resolve();
    expect(await paid).toMatchObject({ kind: 'completed' });
  });
});

describe('money of a released payment that an operator refunds', () => {
  test('is not booked as paid when its key is tried again: the key is over', async () => {
    const { payCommand, key, exceptionId } = await chargedAfterRelease();
    expect(await refundAs(exceptionId)).toEqual({ kind: 'refunded' });
    expect(await harness.pay(payCommand, key)).toMatchObject({
      problem: { spec: { code: 'idempotency_key_expired' } },
    });
    expect(await harness.refundedAtProvider(payCommand.reference)).toBe(payCommand.amountMinor);
    // Another key may pay for the reference.
    expect(bodyOf(await harness.pay(payCommand, newKey()))).toMatchObject({ status: 'succeeded' });
  });

  test('is refunded through the books if its key is tried again, and books it, at the same moment', async () => {
    const { payCommand, key, exceptionId } = await chargedAfterRelease();
    let decidedMeanwhile: unknown;
    const paid = await harness.pay(payCommand, key, {
      ...harness.provider,
      async confirmIntent(...call) {
        // The key's payment is pending: what becomes of it is not the operator's to decide now.
        decidedMeanwhile = await refundAs(exceptionId);
        return harness.provider.confirmIntent(...call);
      },
    });
    expect(decidedMeanwhile).toEqual({ kind: 'not_yet', code: 'payment_pending' });
    expect(bodyOf(paid)).toMatchObject({ status: 'succeeded' });
    expect(await refundAs(exceptionId)).toEqual({ kind: 'refunded' });
    const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
    expect(payment).toMatchObject({ status: 'succeeded', refundedMinor: payment.amountMinor });
  });

  test('can be decided again after the provider rejected the refund', async () => {
    const { exceptionId } = await chargedAfterRelease();
    const rejected = await refundAs(exceptionId, {
      createRefund: async () => ({ kind: 'rejected', code: 'charge_already_refunded' }),
    });
    expect(rejected).toEqual({ kind: 'not_yet', code: 'provider_rejected' });
    // The next try has a downstream key of its own: the provider would replay the rejection under the old one.
    expect(await find(exceptionId)).toMatchObject({ status: 'open', decidedBy: null, generation: 2 });
    expect(await refundAs(exceptionId)).toEqual({ kind: 'refunded' });
  });

  test('cannot be decided again by a rejection while an earlier request for it may have been executed', async () => {
    const { exceptionId } = await chargedAfterRelease();
    await refundAs(exceptionId, {
      createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }),
    });
    await refundAs(exceptionId, {
      createRefund: async () => ({ kind: 'rejected', code: 'authentication_error' }),
    });
    expect(await find(exceptionId)).toMatchObject({ status: 'open', decidedBy: operator.actor });
    // Two hours later no request is on its way any more, and the provider still has no refund.
    await harness.db.$executeRaw`
      UPDATE reconciliation_exception SET decided_at = decided_at - interval '121 minutes' WHERE id = ${exceptionId}::uuid`;
    await refundAs(exceptionId, {
      createRefund: async () => ({ kind: 'rejected', code: 'charge_already_refunded' }),
    });
    expect(await find(exceptionId)).toMatchObject({ status: 'open', decidedBy: null, decidedAt: null });
  });

  test('and is in the books can be decided again after a rejection, also if it was requested before', async () => {
    const payCommand = command();
    const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
    const payment = await harness.db.payment.findFirstOrThrow({ where: { id: String(paymentId) } });
    const about = { tenantId: harness.tenantId, paymentId: payment.id, reason: 'order_cancelled' } as const;
    await openException(harness.db, { ...about, intentId: payment.providerIntentId ?? '' });
    const { id } = await harness.db.reconciliationException.findFirstOrThrow({
      where: { paymentId: payment.id },
    });
    await refundAs(id, {
      createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
    });
    expect(await find(id)).toMatchObject({ decidedBy: operator.actor });
    const rejected = await refundAs(id, {
      createRefund: async () => ({ kind: 'rejected', code: 'charge_already_refunded' }),
    });
    expect(rejected).toEqual({ kind: 'not_yet', code: 'provider_rejected' });
    expect(await find(id)).toMatchObject({ status: 'open', decidedBy: null });
  });

  test('nor because one of two operators was refused, while the request of the other may have been executed', async () => {
    const { exceptionId, payCommand, key } = await chargedAfterRelease();
    await refundAs(exceptionId, {
      async createRefund(request) {
        const second = { actor: 'operator:2' };
        const lost: PaymentProvider = {
          ...harness.provider,
          async createRefund() {
            await harness.provider.createRefund(request);
            return { kind: 'ambiguous', code: 'provider_timeout' };
          },
        };
        await refundException({ ...harness, provider: lost }, harness.tenantId, exceptionId, second);
        return { kind: 'rejected', code: 'authentication_error' };
      },
    });
    expect(await find(exceptionId)).toMatchObject({ status: 'open', decidedBy: 'operator:2' });
    // Its money is back with the shopper, so its key does not get a success.
    expect(await harness.pay(payCommand, key)).toMatchObject({
      problem: { spec: { code: 'idempotency_key_expired' } },
    });
  });

  test('is shown as refunded if the refund succeeds after the exception was dismissed', async () => {
    const { exceptionId } = await chargedAfterRelease();
    await refundAs(exceptionId, {
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    });
    await harness.db.reconciliationException.update({
      where: { tenantId_id: { tenantId: harness.tenantId, id: exceptionId } },
      data: { status: 'dismissed', decidedAt: new Date(), decidedBy: 'operator:2' },
    });
    const operation = harness.refOf(exceptionId);
    const event = { operation, object: 'refund', intentId: undefined };
    expect(await createExceptionFollower(harness).follow(event)).toMatchObject({
      outcome: 'exception_refunded',
    });
    expect(await find(exceptionId)).toMatchObject({ status: 'refunded' });
  });
});

describe('a refund', () => {
  const refund = (input: object, key: string, provider: PaymentProvider = harness.provider) =>
    runOperation(
      { engine: harness.engine, provider },
      createRefundKind,
      { tenantId: harness.tenantId, principal: 'tester', keyHeader: key },
      input as never,
    );

  async function paid() {
    const payCommand = command();
    const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
    return { paymentId: String(paymentId), reference: payCommand.reference };
  }

  test('that succeeded although it was released is not made again by its key, when the provider has forgotten its own', async () => {
    const { paymentId } = await paid();
    const [input, key] = [{ paymentId, reference: 'return-1', amountMinor: 500 }, newKey()];
    await refund(input, key, {
      ...harness.provider,
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'not_executed', code: 'provider_unreachable' };
      },
    });
    const sent: unknown[] = [];
    const forgetful: PaymentProvider = {
      ...harness.provider,
      async createRefund(request) {
        sent.push(request);
        return { kind: 'rejected', code: 'would be a second refund' };
      },
    };
    expect(bodyOf(await refund(input, key, forgetful))).toMatchObject({ status: 'succeeded' });
    expect(sent).toEqual([]);
  });

  test.each(['ambiguous', 'not_executed', 'rejected'] as const)(
    'that was released is not sent again while the provider cannot be asked about it (%s)',
    async (kind) => {
      const { paymentId } = await paid();
      const [input, key] = [{ paymentId, reference: 'return-1', amountMinor: 500 }, newKey()];
      const unreachable = async () => ({ kind: 'not_executed', code: 'provider_unreachable' }) as const;
      await refund(input, key, { ...harness.provider, createRefund: unreachable });
      const blind = { ...harness.provider, findRefund: async () => ({ kind, code: 'test' }) };
      expect(await refund(input, key, blind)).toMatchObject({ kind: 'refused' });
      expect(bodyOf(await refund(input, key))).toMatchObject({ status: 'succeeded' });
    },
  );

  test('that succeeded although it was released is flagged also if its key is tried in vain when the event arrives', async () => {
    const { paymentId } = await paid();
    const [input, key] = [{ paymentId, reference: 'return-1', amountMinor: 500 }, newKey()];
    const { operationId = '' } = await refund(input, key, {
      ...harness.provider,
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'not_executed', code: 'provider_unreachable' };
      },
    });
    const operation = harness.refOf(operationId);
    const follow = () =>
      createRefundKind.createFollower(harness).follow({ operation, object: 'refund', intentId: undefined });
    let followed: unknown;
    await refund(input, key, {
      ...harness.provider,
      async findRefund() {
        followed = await follow();
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    });
    // It is processed again later.
    expect(followed).toEqual({ kind: 'no_evidence', code: 'refund_pending' });
    expect(await follow()).toEqual({ kind: 'changed', outcome: 'exception' });
  });

  test('that was lost, restored and booked is flagged when the bank returns it later', async () => {
    const { paymentId } = await paid();
    const body = bodyOf(await refund({ paymentId, reference: 'return-1' }, newKey()));
    const [refundId, operationId] = [String(body.refundId), String(body.operationId)];
    const about = { tenantId: harness.tenantId, paymentId, refundId };
    await openException(harness.db, { ...about, reason: 'record_lost' });
    const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { refundId } });
    // The provider has paid it back: there is nothing to refund.
    expect(await refundAs(id)).toEqual({ kind: 'not_open' });
    await harness.db.reconciliationException.updateMany({
      where: { refundId },
      data: { status: 'booked', decidedAt: new Date(), decidedBy: 'operator:1' },
    });
    const found = await findRefundByOperation(harness.db, harness.refOf(operationId));
    if (!found) throw new Error('Expected the refund.');
    await harness.db.$transaction((tx) => failRefund(tx, found));
    expect(await find(id)).toMatchObject({ reason: 'refund_failed', status: 'open', decidedBy: null });
    // It is opened again once.
    expect(await openException(harness.db, { ...about, reason: 'refund_failed' })).toBe(false);
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPaymentKind } from '../operations/create-payment/kind.ts';
import { createRefundKind } from '../operations/create-refund/kind.ts';
import { payOrderKind } from '../operations/pay-order/kind.ts';
import { runOperation } from '../operations/run-operation.ts';
import { bodyOf, command, newKey, openPaymentHarness, type PaymentHarness } from '../testing/harness.ts';
import { shownStatusOf, withFoundCharges } from './found-charge.ts';
import { openException } from './open-exception.ts';
import { refundException } from './refund-exception.ts';

let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function refundsOf(reference: string): Promise<unknown[]> {
  const response = await fetch(`${harness.sandbox.url}/_sandbox/refunds?reference=${reference}`);
  return ((await response.json()) as { data: unknown[] }).data;
}

/** Of all payments of the reference. */
async function shown(reference: string): Promise<string[]> {
  const payments = await harness.db.payment.findMany({ where: { reference }, include: withFoundCharges });
  return payments.map(shownStatusOf);
}

type EndedUnpaid = 'released' | 'declined';

/** A payment that ended without a charge, and was confirmed in the provider's own dashboard afterwards. */
async function chargeAfterEnd(status: EndedUnpaid = 'released') {
  const payCommand = command({
    paymentMethod: status === 'released' ? 'pm_fault_rate_limited' : 'pm_card_chargeDeclined',
  });
  await harness.pay(payCommand, newKey(), {
    ...harness.provider,
    /** The intent of a declined payment stays open, although the provider calls it cancelled. */
    async cancelIntent(intentId, payment) {
      const found = await harness.provider.retrieveIntent(intentId, payment);
      return found.kind === 'responded'
        ? { ...found, intent: { ...found.intent, state: 'canceled' } }
        : found;
    },
  });
  const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
  expect(payment.status).toBe(status);
  const intentId = payment.providerIntentId ?? '';
  const confirmed = await fetch(`${harness.sandbox.url}/v1/payment_intents/${intentId}/confirm`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${harness.sandbox.secretKey}` },
    body: new URLSearchParams({ payment_method: 'pm_card_visa', return_url: 'https://shop.example/return' }),
  });
  expect(await confirmed.json()).toMatchObject({ status: 'succeeded' });
  return { payCommand, payment, intentId };
}

test('the money of a booked payment is refunded once, through the books, however often that is requested', async () => {
  const payCommand = command();
  const { paymentId } = bodyOf(await harness.pay(payCommand, newKey())) as unknown as { paymentId: string };
  const found = { tenantId: harness.tenantId, paymentId, reason: 'order_cancelled' } as const;
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const intentId = payment.providerIntentId ?? '';
  expect(await openException(harness.db, { ...found, intentId })).toBe(true);
  expect(await openException(harness.db, { ...found, intentId })).toBe(false);
  const exception = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });

  const clicks = await Promise.all(
    [1, 2, 3].map(() => refundException(harness, harness.tenantId, exception.id, { actor: 'operator:1' })),
  );
  expect(clicks.some(({ kind }) => kind === 'refunded')).toBe(true);
  expect(await refundsOf(payCommand.reference)).toHaveLength(1);
  const again = await refundException(harness, harness.tenantId, exception.id, { actor: 'operator:2' });
  expect(again).toEqual({ kind: 'not_open' });
  const entries = await harness.db.ledgerEntry.findMany({
    where: { payment: { reference: payCommand.reference } },
  });
  expect(entries.reduce((sum, entry) => sum + entry.amountMinor, 0n)).toBe(0n);
  expect(entries.filter((entry) => entry.kind === 'refund')).toHaveLength(2);
});

test('money of a cancelled order is no longer shown once the merchant has refunded all of it', async () => {
  const { paymentId } = bodyOf(await harness.pay(command(), newKey())) as unknown as { paymentId: string };
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const about = { tenantId: harness.tenantId, paymentId, intentId: payment.providerIntentId ?? '' };
  await openException(harness.db, { ...about, reason: 'order_cancelled' });
  const refund = (reference: string, amountMinor: number) =>
    runOperation(
      harness,
      createRefundKind,
      { tenantId: harness.tenantId, principal: 'merchant', keyHeader: newKey() },
      { paymentId, reference, amountMinor },
    );
  const shown = () => harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
  await refund('part-1', 400);
  expect(await shown()).toMatchObject({ status: 'open', decidedBy: null });
  // Neither of the two sees that the other one completes.
  await Promise.all([refund('part-2', 400), refund('part-3', 400)]);
  expect(await shown()).toMatchObject({
    status: 'refunded',
    decidedBy: 'refund',
    decidedAt: expect.any(Date),
    decisionReason: expect.stringMatching(/^It was refunded in full: part-1, part-[23], part-[23]\.$/),
  });
});

test('money taken for a payment that was released is flagged once, kept out of the books, and can be refunded', async () => {
  const { payCommand, payment, intentId } = await chargeAfterEnd();
  const event = { operation: harness.refOf(payment.operationId), object: 'payment_intent', intentId };
  const follower = createPaymentKind.createFollower(harness);
  expect(await follower.follow(event)).toEqual({ kind: 'changed', outcome: 'exception' });
  expect(await follower.follow(event)).toBeUndefined();
  expect(await harness.db.ledgerEntry.count({ where: { paymentId: payment.id } })).toBe(0);
  const exception = await harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
  expect(await refundException(harness, harness.tenantId, exception.id, { actor: 'operator:1' })).toEqual({
    kind: 'refunded',
  });
  expect(await refundsOf(payCommand.reference)).toHaveLength(1);
});

const endings: EndedUnpaid[] = ['released', 'declined'];
test.each(endings)(
  'while a reference is charged although it was %s, no other key is charged for it',
  async (status) => {
    const { payCommand, payment, intentId } = await chargeAfterEnd(status);
    const event = {
      operation: harness.refOf(payment.operationId),
      object: 'payment_intent',
      intentId,
    } as const;
    await createPaymentKind.createFollower(harness).follow(event);
    const other = { ...payCommand, paymentMethod: 'pm_card_visa' };
    const [first, second] = [newKey(), newKey()];
    const isRefused = {
      kind: 'refused',
      problem: {
        spec: { code: 'payment_exists_for_reference' },
        extensions: { paymentId: payment.id, paymentStatus: 'under_review' },
      },
    };
    // In statements of their own, shared with callers of other references, and as a later attempt.
    expect(await harness.pay(other, first)).toMatchObject(isRefused);
    const [shared, neighbour] = await Promise.all([
      harness.pay(other, second),
      harness.pay(command(), newKey()),
    ]);
    expect(shared).toMatchObject(isRefused);
    expect(neighbour).toMatchObject({ kind: 'completed' });
    expect(await harness.pay(other, first)).toMatchObject(isRefused);
    expect(await shown(payCommand.reference)).toEqual(['under_review']);

    const exception = await harness.db.reconciliationException.findFirstOrThrow({ where: { intentId } });
    await refundException(harness, harness.tenantId, exception.id, { actor: 'operator:1' });
    expect(await shown(payCommand.reference)).toEqual(['sent_back']);
    expect(await harness.pay(other, first)).toMatchObject({ kind: 'completed' });
  },
);

const chargesOf = async (reference: string) => {
  const found = await harness.provider.findCharges({ tenantId: harness.tenantId, reference, intentIds: [] });
  if (found.kind !== 'responded') throw new Error(`The sandbox was ${found.kind}.`);
  return found.charges.filter(({ state }) => state === 'succeeded');
};

describe.each([createPaymentKind, payOrderKind])('$definition.name', (kind) => {
  const payAs = (payCommand: ReturnType<typeof command>, key: string) =>
    runOperation(
      harness,
      kind,
      { tenantId: harness.tenantId, principal: 'tester', keyHeader: key },
      payCommand,
    );
  /** A payment that was charged after it had ended, as an operator decided. */
  async function decided(status: EndedUnpaid, decision: string) {
    const { payCommand, payment, intentId } = await chargeAfterEnd(status);
    const about = { tenantId: harness.tenantId, paymentId: payment.id, intentId };
    await openException(harness.db, { ...about, reason: 'charged_after_release' });
    const decide = (next: string) =>
      harness.db.reconciliationException.updateMany({
        where: { intentId },
        data: { status: next, decidedAt: new Date(), decidedBy: 'operator:1' },
      });
    await decide(decision);
    const again = { ...payCommand, paymentMethod: 'pm_card_visa' };
    return { again, payment, decide };
  }

  test.each(endings)('never charges again for what the shop keeps although it was %s', async (status) => {
    const { again, payment, decide } = await decided(status, 'dismissed');
    const isKept = {
      kind: 'refused',
      problem: {
        spec: { code: 'payment_exists_for_reference' },
        extensions: { paymentId: payment.id, paymentStatus: 'kept' },
      },
    };
    const [first, other] = [newKey(), newKey()];
    // In statements of their own, shared with callers of other references, and as a later attempt.
    expect(await payAs(again, first)).toMatchObject(isKept);
    const [shared, same, neighbour] = await Promise.all([
      payAs(again, other),
      payAs(again, newKey()),
      payAs(command(), newKey()),
    ]);
    expect([shared, same]).toMatchObject([isKept, isKept]);
    expect(neighbour).toMatchObject({ kind: 'completed' });
    expect(await payAs(again, first)).toMatchObject(isKept);
    expect(await chargesOf(again.reference)).toHaveLength(1);
    expect(await shown(again.reference)).toEqual(['kept']);
    // It was paid back after all.
    await decide('refunded');
    expect(await payAs(again, first)).toMatchObject({ kind: 'completed' });
  });

  test('is refused while an operator decides to keep the charge at the same moment', async () => {
    const { again, decide } = await decided('released', 'open');
    const outcomes = await Promise.all([
      ...Array.from({ length: 6 }, () => payAs(again, newKey())),
      decide('dismissed'),
    ]);
    for (const outcome of outcomes.slice(0, 6)) {
      expect(outcome).toMatchObject({ problem: { spec: { code: 'payment_exists_for_reference' } } });
    }
    expect(await chargesOf(again.reference)).toHaveLength(1);
  });
});

test('a decision to keep the money of a booked payment holds nothing that the payment does not hold', async () => {
  const payCommand = command();
  const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
  const { providerIntentId } = await harness.db.payment.findFirstOrThrow({
    where: { id: String(paymentId) },
  });
  await harness.db.reconciliationException.create({
    data: {
      ...{ tenantId: harness.tenantId, paymentId: String(paymentId), intentId: providerIntentId },
      ...{ reason: 'order_cancelled', status: 'dismissed' },
    },
  });
  expect(await shown(payCommand.reference)).toEqual(['succeeded']);
  expect(await harness.pay(payCommand, newKey())).toMatchObject({
    problem: { extensions: { paymentStatus: 'succeeded' } },
  });
  expect(await harness.pay(command(), newKey())).toMatchObject({ kind: 'completed' });
});

test('an exception of another tenant cannot be refunded', async () => {
  const payCommand = command();
  await harness.pay(payCommand, newKey());
  const payment = await harness.db.payment.findFirstOrThrow({ where: { reference: payCommand.reference } });
  const exception = await harness.db.reconciliationException.create({
    data: { tenantId: harness.tenantId, paymentId: payment.id, intentId: 'pi_x', reason: 'order_cancelled' },
  });
  expect(await refundException(harness, 'another-tenant', exception.id, { actor: 'operator:1' })).toEqual({
    kind: 'not_open',
  });
});

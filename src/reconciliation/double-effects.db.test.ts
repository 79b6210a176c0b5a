import Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  bookException,
  type CreateRefund,
  closeExpected,
  createPaymentKind,
  createRefundKind,
  type PaymentProvider,
  runOperation,
} from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { createReconciler } from './reconcile.ts';

/** Ways that were found to pay or refund twice. The provider's own ledger decides whether they still exist. */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

function refund(input: CreateRefund, key: string, provider: PaymentProvider = harness.provider) {
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key };
  return runOperation({ engine: harness.engine, provider }, createRefundKind, caller, input);
}

async function paid(): Promise<{ paymentId: string; reference: string }> {
  const payCommand = command();
  const body = bodyOf(await harness.pay(payCommand, newKey()));
  return { paymentId: String(body.paymentId), reference: payCommand.reference };
}

/** Writes that no guard would allow, as a restore or a clock can make them. */
async function withoutGuards(sql: readonly string[], values: readonly unknown[]): Promise<void> {
  await harness.db.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
    for (const statement of sql) await tx.$executeRawUnsafe(statement, ...values);
  });
}

describe('I11: a payment that a promoted standby or a restored backup never got', () => {
  async function payAndLose() {
    const [payCommand, key] = [command(), newKey()];
    const first = bodyOf(await harness.pay(payCommand, key));
    const operationId = String(first.operationId);
    const payment = await harness.db.payment.findFirstOrThrow({ where: { operationId } });
    const ofPayment = '(SELECT id FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid)';
    await withoutGuards(
      [
        `DELETE FROM outbox_event WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
        `DELETE FROM ledger_entry WHERE tenant_id = $1 AND payment_id IN ${ofPayment}`,
        'DELETE FROM payment WHERE tenant_id = $1 AND operation_id = $2::uuid',
        'DELETE FROM idempotency_event WHERE tenant_id = $1 AND record_id = $2::uuid',
        'DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid',
      ],
      [harness.tenantId, operationId],
    );
    return { payCommand, key, first, intentId: payment.providerIntentId ?? '' };
  }

  /** The webhook about it, which comes after the loss. */
  const follow = ({ first, intentId }: Awaited<ReturnType<typeof payAndLose>>) =>
    createPaymentKind.createFollower(harness).follow({
      operation: harness.refOf(String(first.operationId)),
      object: 'payment_intent',
      intentId,
    });

  const openException = (intentId: string) =>
    harness.db.reconciliationException.findFirstOrThrow({
      where: { tenantId: harness.tenantId, intentId, reason: 'record_lost', status: 'open' },
    });

  test('is claimed again by a retry under the same ids, and ends in one charge', async () => {
    const { payCommand, key, first } = await payAndLose();
    expect(bodyOf(await harness.pay(payCommand, key))).toEqual(first);
    expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
  });

  test('is shown to an operator by the provider’s event, once, and a retry still ends in one charge', async () => {
    const lost = await payAndLose();
    expect(await follow(lost)).toEqual({ kind: 'changed', outcome: 'exception' });
    expect(await follow(lost)).toBeUndefined();
    const { id } = await openException(lost.intentId);
    await closeExpected(harness.db);
    await openException(lost.intentId);
    expect(bodyOf(await harness.pay(lost.payCommand, lost.key))).toEqual(lost.first);
    // What its own key has booked is not left for an operator, who might give it back.
    await closeExpected(harness.db);
    expect(await harness.db.reconciliationException.findFirst({ where: { id } })).toMatchObject({
      status: 'booked',
      decidedBy: 'retry',
    });
    expect(await harness.sandbox.charges(lost.payCommand.reference)).toHaveLength(1);
  });

  test('is booked by an operator as its completion would have been; its key then gets the payment’s id', async () => {
    const lost = await payAndLose();
    await follow(lost);
    const { id } = await openException(lost.intentId);
    const decision = {
      actor: 'operator:1',
      reason: 'the standby was promoted',
      writes: async () => undefined,
    };
    const book = () => bookException(harness, harness.tenantId, id, decision);
    expect(await book()).toEqual({ kind: 'booked' });
    expect(await book()).toEqual({ kind: 'not_open' });
    const { reference } = lost.payCommand;
    expect(
      await harness.db.payment.findMany({
        where: { tenantId: harness.tenantId, reference },
        include: { ledger: true, events: true },
      }),
    ).toMatchObject([{ id: lost.first.paymentId, status: 'succeeded', ledger: [{}, {}], events: [{}] }]);
    expect(await harness.pay(lost.payCommand, lost.key)).toMatchObject({
      problem: {
        spec: { code: 'idempotency_key_expired' },
        extensions: { resourceId: lost.first.paymentId },
      },
    });
    expect(await harness.store.findById(harness.refOf(String(lost.first.operationId)))).toMatchObject({
      resource: { type: 'payment', id: lost.first.paymentId },
    });
    expect(await harness.sandbox.charges(reference)).toHaveLength(1);
  });
});

describe('I11: a refund that a promoted standby or a restored backup never got', () => {
  async function refundAndLose(amountMinor = 500) {
    const { paymentId, reference } = await paid();
    const [input, key] = [{ paymentId, reference: 'return-1', amountMinor }, newKey()];
    const first = bodyOf(await refund(input, key));
    await withoutGuards(
      [
        `UPDATE payment SET refunded_minor = 0 WHERE tenant_id = $1 AND id = (
          SELECT payment_id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
        `DELETE FROM outbox_event WHERE tenant_id = $1 AND source_id = (
          SELECT id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
        `DELETE FROM ledger_entry WHERE tenant_id = $1 AND source_id = (
          SELECT id FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid)`,
        'DELETE FROM refund WHERE tenant_id = $1 AND operation_id = $2::uuid',
        'DELETE FROM idempotency_event WHERE tenant_id = $1 AND record_id = $2::uuid',
        'DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid',
      ],
      [harness.tenantId, String(first.operationId)],
    );
    const { providerIntentId } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
    return { input, key, first, reference, intentId: providerIntentId ?? '' };
  }

  /** The webhook about it, which comes after the loss. */
  const follow = ({ first, intentId }: Awaited<ReturnType<typeof refundAndLose>>) =>
    createRefundKind.createFollower(harness).follow({
      operation: harness.refOf(String(first.operationId)),
      object: 'refund',
      intentId,
    });
  const decision = { actor: 'operator:1', reason: 'the standby was promoted', writes: async () => undefined };

  test('is claimed again by a retry under the same ids, and ends in one refund', async () => {
    const lost = await refundAndLose();
    expect(bodyOf(await refund(lost.input, lost.key))).toEqual(lost.first);
    expect(await harness.refundedAtProvider(lost.reference)).toBe(500);
  });

  test('is shown to an operator by the provider’s event, and booked once', async () => {
    const lost = await refundAndLose();
    expect(await follow(lost)).toEqual({ kind: 'changed', outcome: 'exception' });
    const { id } = await harness.db.reconciliationException.findFirstOrThrow({
      where: { tenantId: harness.tenantId, refund: { operationId: String(lost.first.operationId) } },
    });
    const book = () => bookException(harness, harness.tenantId, id, decision);
    expect(await book()).toEqual({ kind: 'booked' });
    expect(await book()).toEqual({ kind: 'not_open' });
    const payment = await harness.db.payment.findFirstOrThrow({
      where: { id: lost.input.paymentId },
      include: { refunds: true, events: true },
    });
    expect(payment).toMatchObject({ refundedMinor: 500n, refunds: [{ status: 'succeeded' }] });
    expect(payment.events.map(({ type }) => type).toSorted()).toEqual([
      'payment.succeeded',
      'refund.succeeded',
    ]);
    // Its key finds what it made, and refunds nothing.
    expect(await refund(lost.input, lost.key)).toMatchObject({
      problem: { spec: { code: 'idempotency_key_expired' }, extensions: { resourceId: lost.first.refundId } },
    });
    expect(await harness.refundedAtProvider(lost.reference)).toBe(500);
  });

  test('is restored after its payment, which was lost too and has to be booked first', async () => {
    const lost = await refundAndLose();
    const payment = await harness.db.payment.findFirstOrThrow({ where: { id: lost.input.paymentId } });
    await withoutGuards(
      [
        'DELETE FROM outbox_event WHERE tenant_id = $1 AND payment_id = $2::uuid',
        'DELETE FROM ledger_entry WHERE tenant_id = $1 AND payment_id = $2::uuid',
        'DELETE FROM payment WHERE tenant_id = $1 AND id = $2::uuid',
      ],
      [harness.tenantId, payment.id],
    );
    expect(await follow(lost)).toEqual({ kind: 'changed', outcome: 'exception' });
    const [ofPayment, ofRefund] = await harness.db.reconciliationException.findMany({
      where: { tenantId: harness.tenantId, paymentId: payment.id },
      orderBy: { refundId: { sort: 'asc', nulls: 'first' } },
    });
    const book = (id = '') => bookException(harness, harness.tenantId, id, decision);
    expect(await book(ofRefund?.id)).toEqual({ kind: 'not_yet', code: 'payment_not_refundable' });
    expect(await book(ofPayment?.id)).toEqual({ kind: 'booked' });
    expect(await book(ofRefund?.id)).toEqual({ kind: 'booked' });
  });
});

test('a key whose record was deleted, and whose refund exists, gets its id and refunds nothing', async () => {
  const { paymentId, reference } = await paid();
  const [input, key] = [{ paymentId, reference: 'return-1', amountMinor: 500 }, newKey()];
  const first = bodyOf(await refund(input, key));
  for (const body of [input, { ...input, reference: 'return-2' }]) {
    await withoutGuards(
      ['DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid'],
      [harness.tenantId, first.operationId],
    );
    expect(await refund(body, key)).toMatchObject({
      problem: {
        spec: { code: 'idempotency_key_expired' },
        extensions: { resourceType: 'refund', resourceId: first.refundId },
      },
    });
    // A caller that reads the operation finds the refund as well: the status alone says that nothing happened.
    expect(await harness.store.findById(harness.refOf(String(first.operationId)))).toMatchObject({
      resource: { type: 'refund', id: first.refundId },
    });
  }
  expect(await harness.refundedAtProvider(reference)).toBe(500);
});

test('a key whose record was deleted, and whose payment exists, gets its id and charges nothing', async () => {
  const [payCommand, key] = [command(), newKey()];
  const first = bodyOf(await harness.pay(payCommand, key));
  await withoutGuards(
    ['DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid'],
    [harness.tenantId, first.operationId],
  );
  const expired = {
    spec: { code: 'idempotency_key_expired' },
    extensions: { resourceType: 'payment', resourceId: first.paymentId },
  };
  for (const body of [payCommand, { ...payCommand, reference: `${payCommand.reference}-other` }]) {
    expect(await harness.pay(body, key)).toMatchObject({ kind: 'refused', problem: expired });
    await withoutGuards(
      ['DELETE FROM idempotency_record WHERE tenant_id = $1 AND id = $2::uuid'],
      [harness.tenantId, first.operationId],
    );
  }
  expect(await harness.sandbox.charges(payCommand.reference)).toHaveLength(1);
});

test('a late owner whose request was not executed does not release what reconciliation sends again', async () => {
  const { paymentId, reference } = await paid();
  const key = newKey();
  const ownerAtProvider = Promise.withResolvers<string>();
  const ownerMayEnd = Promise.withResolvers<void>();
  const ownerEnded = refund({ paymentId, reference: 'return-1', amountMinor: 500 }, key, {
    ...harness.provider,
    async createRefund({ operationId }) {
      ownerAtProvider.resolve(operationId);
      await ownerMayEnd.promise;
      return { kind: 'not_executed', code: 'provider_unreachable' };
    },
  });
  const operationId = await ownerAtProvider.promise;
  await harness.db.$executeRaw`
    UPDATE idempotency_record SET lease_until = clock_timestamp() - interval '1 second'
    WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
  const reconciler = createReconciler({
    ...harness,
    investigators: [
      createRefundKind.createInvestigator({
        db: harness.db,
        provider: {
          ...harness.provider,
          async findRefund() {
            // Nothing is listed, so the reconciler is about to send. The owner ends first.
            ownerMayEnd.resolve();
            await ownerEnded;
            return undefined;
          },
        },
      }),
    ],
  });
  expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
    kind: 'completed',
  });
  expect(await ownerEnded).toMatchObject({ kind: 'pending', status: 'unknown' });

  // The same refund under another key is the merchant's own mistake; the reference stops it.
  const other = await refund({ paymentId, reference: 'return-1', amountMinor: 500 }, newKey());
  expect(other).toMatchObject({
    problem: { spec: { code: 'refund_exists_for_reference', newKey: 'unsafe' } },
  });
  expect(await harness.refundedAtProvider(reference)).toBe(500);
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  expect(payment.refundedMinor).toBe(500n);
});

test('a refund that was resolved after the reconciler read it is not sent again', async () => {
  const { paymentId, reference } = await paid();
  const lost: PaymentProvider = {
    ...harness.provider,
    createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }),
  };
  const pending = await refund({ paymentId, reference: 'return-1' }, newKey(), lost);
  if (pending.kind !== 'pending') throw new Error('Expected the refund to be unknown.');
  const sent: string[] = [];
  const investigator = (over: Partial<PaymentProvider>) =>
    createRefundKind.createInvestigator({ db: harness.db, provider: { ...harness.provider, ...over } });
  const quick = createReconciler({ ...harness, investigators: [investigator({})] });
  const slow = createReconciler({
    ...harness,
    investigators: [
      investigator({
        async findRefund() {
          await quick.reconcile(harness.refOf(pending.operationId), 'poller');
          return undefined;
        },
        async createRefund(request) {
          sent.push(request.operationId);
          return harness.provider.createRefund(request);
        },
      }),
    ],
  });
  await slow.reconcile(harness.refOf(pending.operationId), 'operator:1');
  expect(sent).toEqual([]);
  expect(await harness.refundedAtProvider(reference)).toBe(1200);
});

test('an intent is not cancelled for an operation that was resolved meanwhile', async () => {
  const outcome = await harness.pay(command({ paymentMethod: 'pm_fault_not_charged_500' }), newKey());
  if (outcome.kind !== 'pending') throw new Error('Expected the payment to be unknown.');
  const ref = harness.refOf(outcome.operationId);
  const canceled: string[] = [];
  const investigator = (over: Partial<PaymentProvider>) =>
    createPaymentKind.createInvestigator({ db: harness.db, provider: { ...harness.provider, ...over } });
  const quick = createReconciler({ ...harness, investigators: [investigator({})] });
  const slow = createReconciler({
    ...harness,
    investigators: [
      investigator({
        async retrieveIntent(intentId, of) {
          const read = await harness.provider.retrieveIntent(intentId, of);
          await quick.reconcile(ref, 'poller');
          return read;
        },
        async cancelIntent(intentId, of) {
          canceled.push(intentId);
          return harness.provider.cancelIntent(intentId, of);
        },
      }),
    ],
  });
  await slow.reconcile(ref, 'operator:1');
  expect(canceled).toEqual([]);
});

test('a refund that succeeded at the provider although it was released is shown to an operator', async () => {
  const { paymentId } = await paid();
  const wrong: PaymentProvider = {
    ...harness.provider,
    async createRefund(request) {
      await harness.provider.createRefund(request);
      return { kind: 'not_executed', code: 'provider_unreachable' };
    },
  };
  const refused = await refund({ paymentId, reference: 'return-1' }, newKey(), wrong);
  if (refused.kind !== 'refused' || !refused.operationId)
    throw new Error('Expected the refund to be released.');
  const operation = harness.refOf(refused.operationId);
  const follower = createRefundKind.createFollower(harness);
  const event = { operation, object: 'refund', intentId: undefined };
  expect(await follower.follow(event as never)).toEqual({ kind: 'changed', outcome: 'exception' });
  expect(await follower.follow(event as never)).toBeUndefined();
  expect(await harness.db.reconciliationException.findMany({ where: { paymentId } })).toMatchObject([
    { reason: 'refunded_after_release', status: 'open' },
  ]);
});

describe('a refund whose failure the provider saved under its key', () => {
  const saved: PaymentProvider['createRefund'] = async () => ({
    kind: 'ambiguous',
    code: 'provider_http_500',
  });

  async function unknownFor(hours: number, claimed = hours) {
    const { paymentId, reference } = await paid();
    const key = newKey();
    const input = { paymentId, reference: 'return-1' };
    const pending = await refund(input, key, { ...harness.provider, createRefund: saved });
    if (pending.kind !== 'pending') throw new Error('Expected the refund to be unknown.');
    await withoutGuards(
      [
        `UPDATE idempotency_record SET created_at = created_at - interval '${claimed} hours',
           unknown_since = unknown_since - interval '${hours} hours'
         WHERE tenant_id = $1 AND id = $2::uuid`,
      ],
      [harness.tenantId, pending.operationId],
    );
    const provider = { ...harness.provider, createRefund: saved };
    const investigators = [createRefundKind.createInvestigator({ db: harness.db, provider })];
    const found = await createReconciler({ ...harness, investigators }).reconcile(
      harness.refOf(pending.operationId),
      'poller',
    );
    return { found, reference, operationId: pending.operationId, again: () => refund(input, key) };
  }

  test('stays unknown while a request under that key could still be executed', async () => {
    expect((await unknownFor(22)).found).toMatchObject({ kind: 'still_unknown', code: 'provider_http_500' });
    expect((await unknownFor(24)).found).toMatchObject({ kind: 'still_unknown', code: 'refund_not_found' });
  });

  test('stays unknown after an attempt that was sent just now, however old its key is', async () => {
    expect((await unknownFor(0, 26)).found).toMatchObject({
      kind: 'still_unknown',
      code: 'refund_not_found',
    });
    expect((await unknownFor(3, 26)).found).toMatchObject({ kind: 'released' });
  });

  test('is released afterwards if the provider lists none, and its key may try again, once', async () => {
    const { found, reference, operationId, again } = await unknownFor(26);
    expect(found).toMatchObject({ kind: 'released' });
    expect(await harness.refundedAtProvider(reference)).toBe(0);
    expect(bodyOf(await again())).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
    expect(await harness.refundedAtProvider(reference)).toBe(1200);
    // Under a downstream key of its own: under the old one the provider would go on replaying the failure.
    expect(await harness.sandbox.refundsOf(operationId)).toMatchObject([{ metadata: { generation: '2' } }]);
  });
});

describe('a declined payment, whose intent could be confirmed with another card', () => {
  const declined = () => command({ paymentMethod: 'pm_card_visa_chargeDeclined' });

  async function intentOf(reference: string): Promise<string> {
    const payment = await harness.db.payment.findFirstOrThrow({
      where: { tenantId: harness.tenantId, reference },
    });
    return payment.providerIntentId ?? '';
  }

  /** As a browser with the intent's client secret could. */
  async function confirmWithAnotherCard(intentId: string): Promise<void> {
    const { hostname: host, port } = new URL(harness.sandbox.url);
    const stripe = new Stripe(harness.sandbox.secretKey, { host, port, protocol: 'http' });
    await stripe.paymentIntents.confirm(intentId, {
      payment_method: 'pm_card_visa',
      return_url: 'https://shop.example/return',
    });
  }

  test('is cancelled at the provider before it is final and another payment may use its reference', async () => {
    const payCommand = declined();
    expect(bodyOf(await harness.pay(payCommand, newKey()))).toMatchObject({ status: 'declined' });
    await expect(confirmWithAnotherCard(await intentOf(payCommand.reference))).rejects.toMatchObject({
      code: 'payment_intent_unexpected_state',
    });
    const another = { ...payCommand, paymentMethod: 'pm_card_visa' };
    expect(bodyOf(await harness.pay(another, newKey()))).toMatchObject({ status: 'succeeded' });
  });

  test.each(['ambiguous', 'not_executed', 'rejected'] as const)(
    'is unknown and keeps its reference while the cancel is %s; reconciliation cancels it and it is declined',
    async (kind) => {
      const payCommand = declined();
      const cancelIntent = async () => ({ kind, code: 'test' });
      const outcome = await harness.pay(payCommand, newKey(), { ...harness.provider, cancelIntent });
      if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${outcome.kind}`);
      const another = { ...payCommand, paymentMethod: 'pm_card_visa' };
      expect(await harness.pay(another, newKey())).toMatchObject({
        problem: { spec: { code: 'payment_exists_for_reference' } },
      });
      const investigators = [createPaymentKind.createInvestigator(harness)];
      const reconciler = createReconciler({ ...harness, investigators });
      expect(await reconciler.reconcile(harness.refOf(outcome.operationId), 'test')).toEqual({
        kind: 'completed',
        cause: 'provider_declined',
      });
      expect(bodyOf(await harness.pay(another, newKey()))).toMatchObject({ status: 'succeeded' });
    },
  );

  test('is booked as paid if it was confirmed with another card before the cancel', async () => {
    const [payCommand, key] = [declined(), newKey()];
    const cancelIntent = async (intentId: string) => {
      await confirmWithAnotherCard(intentId);
      return harness.provider.cancelIntent(intentId);
    };
    const outcome = await harness.pay(payCommand, key, { ...harness.provider, cancelIntent });
    expect(bodyOf(outcome)).toMatchObject({ status: 'succeeded' });
    const charges = await harness.sandbox.charges(payCommand.reference);
    expect(charges.filter(({ status }) => status === 'succeeded')).toHaveLength(1);
  });
});

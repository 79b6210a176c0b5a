import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  closeExpected,
  createEventFollower,
  createInvestigators,
  createRefundKind,
  type PaymentProvider,
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
import { createReconciler } from './reconcile.ts';

/** Ways to pay back a second time what was paid back before. The provider's own ledger decides. */
let harness: PaymentHarness;
beforeAll(async () => {
  harness = await openPaymentHarness();
});
afterAll(() => harness.close());

async function paid() {
  const payCommand = command();
  const { paymentId } = bodyOf(await harness.pay(payCommand, newKey()));
  const payment = await harness.db.payment.findFirstOrThrow({ where: { id: String(paymentId) } });
  return {
    paymentId: payment.id,
    reference: payCommand.reference,
    intentId: payment.providerIntentId ?? '',
  };
}

function refund(
  input: { paymentId: string; reference: string },
  key = newKey(),
  over?: Partial<PaymentProvider>,
) {
  const parts = { engine: harness.engine, provider: { ...harness.provider, ...over } };
  const caller = { tenantId: harness.tenantId, principal: 'tester', keyHeader: key };
  return runOperation(parts, createRefundKind, caller, { ...input, amountMinor: 500 });
}

/** As a webhook about a refund is processed. */
async function receive(
  operationId: string,
  refundId: string,
  intentId: string,
  status = 'succeeded',
): Promise<string | null> {
  const { db } = harness;
  const investigators = createInvestigators(harness);
  const { id } = await db.providerEvent.create({
    data: {
      ...{ provider: 'sandbox', eventId: `evt_${randomUUID()}`, type: 'refund.updated' },
      ...{ tenantId: harness.tenantId, operationId },
      payload: {
        data: { object: { object: 'refund', id: refundId, payment_intent: intentId, status } },
      },
    },
  });
  await processProviderEvent(
    {
      db,
      reconciler: createReconciler({ ...harness, investigators }),
      follower: createEventFollower(harness),
    },
    id,
  );
  return (await db.providerEvent.findUniqueOrThrow({ where: { id } })).outcome;
}

const exceptionsOf = (paymentId: string) =>
  harness.db.reconciliationException.findMany({ where: { paymentId }, orderBy: { foundAt: 'asc' } });

describe('a refund that the provider made after it was given up', () => {
  /** Released because the provider did not list it for a day: its key continues with the next generation. */
  async function givenUp() {
    const { paymentId, reference, intentId } = await paid();
    const [input, key] = [{ paymentId, reference: 'return-1' }, newKey()];
    const lost = { createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }) as const };
    const pending = await refund(input, key, lost);
    if (pending.kind !== 'pending') throw new Error('Expected the refund to be unknown.');
    const { operationId } = pending;
    await harness.db.$transaction(async (tx) => {
      await tx.$executeRawUnsafe('SET LOCAL session_replication_role = replica');
      await tx.$executeRaw`
        UPDATE idempotency_record SET created_at = created_at - interval '26 hours',
          unknown_since = unknown_since - interval '26 hours'
        WHERE tenant_id = ${harness.tenantId} AND id = ${operationId}::uuid`;
    });
    const reconciler = createReconciler({ ...harness, investigators: createInvestigators(harness) });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
      kind: 'released',
    });
    /** The first request arrives after all. */
    const arrive = async () => {
      const made = await harness.provider.createRefund({
        ...{ operationId, tenantId: harness.tenantId, generation: 1, intentId },
        ...{ amountMinor: 500, reference: 'return-1' },
      });
      if (made.kind !== 'responded') throw new Error('Expected the refund to be made.');
      return receive(operationId, made.refund.id, intentId);
    };
    /** The bank returns what has arrived. */
    const comeBack = async () => {
      const [made] = await harness.sandbox.refundsOf(operationId);
      await harness.sandbox.control('refunds/fail', { refund: made?.id });
      return receive(operationId, made?.id ?? '', intentId, 'failed');
    };
    return { paymentId, reference, arrive, comeBack, again: () => refund(input, key) };
  }

  test('is shown to an operator, and its own key finds it and makes no other', async () => {
    const { paymentId, reference, arrive, again } = await givenUp();
    expect(await arrive()).toBe('exception');
    expect(await exceptionsOf(paymentId)).toMatchObject([
      { reason: 'refunded_after_release', status: 'open' },
    ]);
    expect(bodyOf(await again())).toMatchObject({ status: 'succeeded', amountMinor: 500 });
    expect(await harness.refundedAtProvider(reference)).toBe(500);
    await closeExpected(harness.db);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ status: 'booked', decidedBy: 'retry' }]);
  });

  test('is booked back when the bank returns it, after its own key has found and booked it', async () => {
    const { paymentId, reference, arrive, comeBack, again } = await givenUp();
    await arrive();
    expect(bodyOf(await again())).toMatchObject({ status: 'succeeded' });
    expect(await comeBack()).toBe('refund_failed');
    expect(await harness.refundedAtProvider(reference)).toBe(0);
    expect(await harness.db.payment.findFirst({ where: { id: paymentId } })).toMatchObject({
      refundedMinor: 0n,
    });
    expect(await exceptionsOf(paymentId)).toMatchObject([{ reason: 'refund_failed', status: 'open' }]);
  });

  test('is shown to an operator also when its key has been refunded since: it was paid back twice', async () => {
    const { paymentId, reference, arrive, again } = await givenUp();
    expect(bodyOf(await again())).toMatchObject({ status: 'succeeded' });
    expect(await arrive()).toBe('exception');
    expect(await harness.refundedAtProvider(reference)).toBe(1_000);
    // The books have one of the two, so nothing has explained the other.
    await closeExpected(harness.db);
    expect(await exceptionsOf(paymentId)).toMatchObject([
      { reason: 'refunded_after_release', status: 'open' },
    ]);
  });
});

describe('a provider whose list of refunds lags', () => {
  const lagging = { findRefund: async () => undefined } satisfies Partial<PaymentProvider>;

  test('a refund that an exception shows is not made again by its own key', async () => {
    const { paymentId, reference, intentId } = await paid();
    const [input, key] = [{ paymentId, reference: 'return-1' }, newKey()];
    const failed: Partial<PaymentProvider> = {
      async createRefund(request) {
        const made = await harness.provider.createRefund(request);
        if (made.kind !== 'responded') return made;
        return { ...made, refund: { ...made.refund, state: 'failed' } };
      },
    };
    const refused = await refund(input, key, failed);
    const operationId = (refused.kind === 'refused' && refused.operationId) || '';
    const [made] = await harness.sandbox.refundsOf(operationId);
    expect(await receive(operationId, made?.id ?? '', intentId)).toBe('exception');
    expect(await refund(input, key, lagging)).toMatchObject({ kind: 'refused' });
    expect(await harness.refundedAtProvider(reference)).toBe(500);
    expect(bodyOf(await refund(input, key))).toMatchObject({ status: 'succeeded' });
    expect(await harness.refundedAtProvider(reference)).toBe(500);
  });

  test('a refund of unknown outcome is not sent again once an event is about it: its key may be forgotten', async () => {
    const { paymentId, intentId } = await paid();
    const unknown = await refund({ paymentId, reference: 'return-1' }, newKey(), {
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    });
    const operationId = (unknown.kind === 'pending' && unknown.operationId) || '';
    const [made] = await harness.sandbox.refundsOf(operationId);
    const object = { object: 'refund', id: made?.id, payment_intent: intentId, status: 'succeeded' };
    await harness.db.providerEvent.create({
      data: {
        ...{ provider: 'sandbox', eventId: `evt_${randomUUID()}`, type: 'refund.created' },
        ...{ tenantId: harness.tenantId, operationId },
        payload: { data: { object: { ...object, metadata: { generation: '1' } } } },
      },
    });
    const sent: string[] = [];
    const provider: PaymentProvider = {
      ...harness.provider,
      ...lagging,
      createRefund: (request) => {
        sent.push(request.operationId);
        return harness.provider.createRefund(request);
      },
    };
    const investigators = createInvestigators({ db: harness.db, provider });
    const misled = createReconciler({ ...harness, investigators });
    expect(await misled.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
      kind: 'still_unknown',
      code: 'refund_not_found',
    });
    expect(sent).toEqual([]);
    const reconciler = createReconciler({ ...harness, investigators: createInvestigators(harness) });
    expect(await reconciler.reconcile(harness.refOf(operationId), 'poller')).toMatchObject({
      kind: 'completed',
    });
  });

  test('an event about a refund that was given up is kept until it is listed, and then shown to an operator', async () => {
    const { paymentId, intentId } = await paid();
    const refused = await refund({ paymentId, reference: 'return-1' }, newKey(), {
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'rejected', code: 'StripePermissionError' };
      },
    });
    const operationId = (refused.kind === 'refused' && refused.operationId) || '';
    const [made] = await harness.sandbox.refundsOf(operationId);
    const event = {
      ...{ operation: harness.refOf(operationId), object: 'refund', objectId: made?.id ?? '' },
      ...{ intentId, state: 'succeeded' },
    };
    const misled = createEventFollower({ db: harness.db, provider: { ...harness.provider, ...lagging } });
    expect(await misled.follow(event)).toEqual({ kind: 'no_evidence', code: 'refund_not_found' });
    expect(await createEventFollower(harness).follow(event)).toEqual({
      kind: 'changed',
      outcome: 'exception',
    });
  });
});

test('a refund whose later generation was lost is found by its key, when the provider has forgotten both', async () => {
  const { paymentId, reference, intentId } = await paid();
  const [input, key] = [{ paymentId, reference: 'return-1' }, newKey()];
  const unreachable = {
    createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }) as const,
  };
  const refused = await refund(input, key, unreachable);
  if (refused.kind !== 'refused' || !refused.operationId)
    throw new Error('Expected the refund to be released.');
  // A restored backup lacks that it was tried again, given up, and made under the next generation.
  await harness.provider.createRefund({
    ...{ operationId: refused.operationId, tenantId: harness.tenantId, generation: 2, intentId },
    ...{ amountMinor: 500, reference: 'return-1' },
  });
  expect(bodyOf(await refund(input, key))).toMatchObject({ status: 'succeeded' });
  expect(await harness.refundedAtProvider(reference)).toBe(500);
});

describe('a refund that the bank returned', () => {
  async function returned() {
    const { paymentId, reference, intentId } = await paid();
    const input = { paymentId, reference: 'return-1' };
    const { operationId } = bodyOf(await refund(input)) as unknown as { operationId: string };
    const [made] = await harness.sandbox.refundsOf(operationId);
    await harness.sandbox.control('refunds/fail', { refund: made?.id });
    expect(await receive(operationId, made?.id ?? '', intentId, 'failed')).toBe('refund_failed');
    const [exception] = await exceptionsOf(paymentId);
    const decide = (over?: Partial<PaymentProvider>) =>
      refundException(
        { ...harness, provider: { ...harness.provider, ...over } },
        harness.tenantId,
        exception?.id ?? '',
        { actor: 'operator:1' },
      );
    return { paymentId, reference, decide, again: () => refund(input) };
  }

  test('and that an operator refunded again is not refunded once more by the merchant, under another key', async () => {
    const { reference, decide, again } = await returned();
    expect(await decide()).toEqual({ kind: 'refunded' });
    expect(await again()).toMatchObject({ problem: { spec: { code: 'refund_exists_for_reference' } } });
    expect(await harness.refundedAtProvider(reference)).toBe(500);
  });

  test('and that succeeded after all is not refunded once more by an operator, who can then dismiss it', async () => {
    const { paymentId, reference, decide } = await returned();
    const findRefund: PaymentProvider['findRefund'] = async (wanted) => {
      const found = await harness.provider.findRefund(wanted);
      if (found?.kind !== 'responded') return found;
      return { ...found, refund: { ...found.refund, state: 'succeeded' } };
    };
    expect(await decide({ findRefund })).toEqual({ kind: 'not_yet', code: 'refund_not_returned' });
    expect(await harness.refundedAtProvider(reference)).toBe(0);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ status: 'open', decidedBy: null }]);
  });

  test('and that the merchant refunded again is not refunded once more by an operator, who can then dismiss it', async () => {
    const { paymentId, reference, decide, again } = await returned();
    expect(bodyOf(await again())).toMatchObject({ status: 'succeeded' });
    expect(await decide()).toEqual({ kind: 'not_yet', code: 'refund_exists_for_reference' });
    expect(await harness.refundedAtProvider(reference)).toBe(500);
    expect(await exceptionsOf(paymentId)).toMatchObject([{ status: 'open', decidedBy: null }]);
  });
});

test('an event that completes its operation with another refund shows an operator that it was paid back twice', async () => {
  const { paymentId, reference, intentId } = await paid();
  const twice = await refund({ paymentId, reference: 'return-1' }, newKey(), {
    async createRefund(request) {
      await harness.provider.createRefund({ ...request, generation: 2 });
      await harness.provider.createRefund(request);
      return { kind: 'ambiguous', code: 'provider_timeout' };
    },
  });
  const { operationId = '' } = twice;
  expect(await harness.refundedAtProvider(reference)).toBe(1000);
  // The newest is listed first, and found.
  const [one, other] = await harness.sandbox.refundsOf(operationId);
  const outcomes = [await receive(operationId, one?.id ?? '', intentId)];
  outcomes.push(await receive(operationId, other?.id ?? '', intentId));
  expect(outcomes).toContain('exception');
  expect(await exceptionsOf(paymentId)).toMatchObject([{ reason: 'refunded_after_release' }]);
});

test('an event that the bank returned a refund is kept while reads lag behind it', async () => {
  const { paymentId, intentId } = await paid();
  const { operationId = '' } = await refund({ paymentId, reference: 'return-1' });
  const [made] = await harness.sandbox.refundsOf(operationId);
  const refundId = made?.id ?? '';
  await expect(receive(operationId, refundId, intentId, 'failed')).rejects.toThrow('contradictory');
  await harness.sandbox.control('refunds/fail', { refund: refundId });
  expect(await receive(operationId, refundId, intentId, 'failed')).toBe('refund_failed');
});

test('an event that names another refund of the same payment opens no exception: each is booked under its own operation', async () => {
  const { paymentId, intentId } = await paid();
  const made = await Promise.all(
    ['return-1', 'return-2'].map(async (reference) => {
      const { operationId } = bodyOf(await refund({ paymentId, reference }));
      const row = await harness.db.refund.findFirstOrThrow({ where: { operationId: String(operationId) } });
      return { operationId: String(operationId), refundId: row.providerRefundId ?? '' };
    }),
  );
  const [one, other] = made as [(typeof made)[number], (typeof made)[number]];
  expect(await receive(one.operationId, other.refundId, intentId)).toBe('nothing_to_do: completed');
  expect(await exceptionsOf(paymentId)).toEqual([]);
});

test('one refund of the provider is booked once: named for a second operation, that one stays unknown', async () => {
  const { paymentId } = await paid();
  const { operationId } = bodyOf(await refund({ paymentId, reference: 'return-1' }));
  const [made] = await harness.sandbox.refundsOf(String(operationId));
  const id = String(made?.id);
  const createRefund: PaymentProvider['createRefund'] = async (request) => ({
    kind: 'responded',
    refund: { ...request, id, state: 'succeeded', currency: 'usd' },
  });
  const second = await refund({ paymentId, reference: 'return-2' }, newKey(), { createRefund });
  expect(second).toMatchObject({ kind: 'pending' });
  expect(await harness.db.refund.findMany({ where: { paymentId, status: 'succeeded' } })).toMatchObject([
    { operationId, providerRefundId: id },
  ]);
  expect(await harness.db.ledgerEntry.count({ where: { paymentId, kind: 'refund' } })).toBe(2);
});

test('a lost refund in another currency than its payment is not restored: its amount would be another one', async () => {
  const { paymentId, intentId } = await paid();
  const operation = harness.refOf(randomUUID());
  const refund = { id: 're_lost', state: 'succeeded', amountMinor: 500, currency: 'jpy' } as const;
  const findRefund = async () =>
    ({ kind: 'responded', refund: { ...refund, generation: 1, reference: 'return-1' } }) as const;
  const provider = { ...harness.provider, findRefund };
  const follower = createEventFollower({ db: harness.db, provider });
  expect(await follower.follow({ operation, object: 'refund', objectId: 're_lost', intentId })).toEqual({
    kind: 'no_evidence',
    code: 'contradictory',
  });
  expect(await harness.db.refund.count({ where: { paymentId } })).toBe(0);
});

test.each([
  ['does not list it', undefined],
  ['does not know its payment', { kind: 'rejected', code: 'resource_missing' } as const],
])('an event about a lost refund is kept while the provider %s', async (_, lie) => {
  const { paymentId, intentId } = await paid();
  const operation = harness.refOf(randomUUID());
  const about = { operation, object: 'refund', objectId: 're_lost', intentId, state: 'succeeded' };
  const follow = (findRefund: PaymentProvider['findRefund']) =>
    createEventFollower({ db: harness.db, provider: { ...harness.provider, findRefund } }).follow(about);
  expect(await follow(async () => lie)).toMatchObject({ kind: 'no_evidence' });
  const refund = { id: `re_${randomUUID()}`, state: 'succeeded', amountMinor: 500, currency: 'usd' } as const;
  const listed = { kind: 'responded', refund: { ...refund, generation: 1, reference: 'return-1' } } as const;
  expect(await follow(async () => listed)).toEqual({ kind: 'changed', outcome: 'exception' });
  expect(await exceptionsOf(paymentId)).toMatchObject([{ reason: 'record_lost', status: 'open' }]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRefundKind, type PaymentProvider, type RefundResult } from '#payments/index.ts';
import {
  bodyOf,
  command,
  newKey,
  openPaymentHarness,
  type PaymentHarness,
} from '#payments/testing/harness.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let harness: PaymentHarness;
let reconciler: Reconciler;
/** Replaces calls of the provider. */
let script: Partial<Pick<PaymentProvider, 'findRefund' | 'createRefund'>> = {};
beforeAll(async () => {
  harness = await openPaymentHarness();
  const provider: PaymentProvider = {
    ...harness.provider,
    findRefund: (request) => (script.findRefund ?? harness.provider.findRefund)(request),
    createRefund: (request) => (script.createRefund ?? harness.provider.createRefund)(request),
  };
  const investigators = [createRefundKind.createInvestigator({ db: harness.db, provider })];
  reconciler = createReconciler({ ...harness, investigators });
});
beforeEach(() => {
  script = {};
});
afterAll(() => harness.close());

/** Our metadata on a refund. */
const ofFirstTry = { generation: 1, reference: 'return-1' };
const respond = (result: RefundResult) => async () => result;
const rejected = (code: string) => respond({ kind: 'rejected', code });

const lostResponse = respond({ kind: 'ambiguous', code: 'provider_timeout' });

/** A refund whose response was lost or replaced, after the provider made it or before. */
async function refundUnknown(made: boolean, response = lostResponse) {
  const paid = bodyOf(await harness.pay(command(), newKey()));
  const paymentId = String(paid.paymentId);
  const lost: PaymentProvider = {
    ...harness.provider,
    async createRefund(request) {
      if (made) await harness.provider.createRefund(request);
      return response();
    },
  };
  const keyHeader = newKey();
  const request = { tenantId: harness.tenantId, principal: 'tester', keyHeader, input: { paymentId } };
  const refund = (using: PaymentProvider) =>
    harness.engine.run(createRefundKind.definition, request, (execution) =>
      createRefundKind.handle(using, execution, { paymentId, reference: 'return-1' }),
    );
  const outcome = await refund(lost);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  const again = (using: PaymentProvider = harness.provider) => refund(using);
  return { paymentId, operationId: outcome.operationId, again };
}

async function stateOf({ paymentId, operationId }: { paymentId: string; operationId: string }) {
  const [record, payment, refund] = await Promise.all([
    harness.store.findById(harness.refOf(operationId)),
    harness.db.payment.findFirstOrThrow({ where: { id: paymentId } }),
    harness.db.refund.findFirstOrThrow({ where: { operationId } }),
  ]);
  return { status: record?.status, refund: refund.status, reservedMinor: Number(payment.refundedMinor) };
}

const stillUnknown = { status: 'unknown', refund: 'pending', reservedMinor: 1200 };

describe('a refund of unknown outcome is not released because a request was refused', () => {
  test.each(['api_key_expired', 'authentication_error', 'permission_error', 'resource_missing'])(
    'the lookup is refused with %s: it stays unknown and reserved, and a definitive response completes it',
    async (code) => {
      const lost = await refundUnknown(true);
      script = { findRefund: rejected(code) };
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toEqual({
        kind: 'still_unknown',
        code,
        noEvidence: true,
      });
      expect(await stateOf(lost)).toEqual(stillUnknown);

      script = {};
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toMatchObject({
        kind: 'completed',
      });
      expect(await stateOf(lost)).toEqual({ status: 'completed', refund: 'succeeded', reservedMinor: 1200 });
    },
  );

  test.each(['idempotency_error', 'charge_already_refunded', 'authentication_error'])(
    'it is not listed, and sent again it is refused with %s: it stays unknown, and a definitive response completes it',
    async (code) => {
      const lost = await refundUnknown(true);
      script = { findRefund: async () => undefined, createRefund: rejected(code) };
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toEqual({
        kind: 'still_unknown',
        code,
        noEvidence: true,
      });
      expect(await stateOf(lost)).toEqual(stillUnknown);

      script = {};
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toMatchObject({
        kind: 'completed',
      });
      expect(await stateOf(lost)).toMatchObject({ status: 'completed', refund: 'succeeded' });
    },
  );

  test.each(['not_executed', 'ambiguous'] as const)('nor because a call was %s', async (kind) => {
    const lost = await refundUnknown(false);
    script = { createRefund: respond({ kind, code: 'provider_trouble' }) };
    expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toEqual({
      kind: 'still_unknown',
      code: 'provider_trouble',
      noEvidence: true,
    });
    expect(await stateOf(lost)).toEqual(stillUnknown);
  });

  test('a refund that failed at the provider is released, and its key may try again', async () => {
    const lost = await refundUnknown(false);
    script = {
      findRefund: respond({
        kind: 'responded',
        refund: { id: 're_1', state: 'failed', amountMinor: 1200, currency: 'eur', ...ofFirstTry },
      }),
    };
    expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toMatchObject({
      kind: 'released',
    });
    expect(await stateOf(lost)).toEqual({
      status: 'failed_retryable',
      refund: 'released',
      reservedMinor: 0,
    });
    expect(bodyOf(await lost.again())).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
  });
});

describe('a refund that the provider made and that failed later', () => {
  /** Its response was lost; by the time it is checked, the bank has returned the money. */
  async function failedLater() {
    const lost = await refundUnknown(true);
    const [made] = await harness.sandbox.refundsOf(lost.operationId);
    await harness.sandbox.control('refunds/fail', { refund: made?.id });
    expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toMatchObject({
      kind: 'released',
    });
    return lost;
  }

  test('is made again by the next attempt, under a new generation, not replayed from the first response', async () => {
    const lost = await failedLater();
    const released = await harness.db.refund.findFirstOrThrow({ where: { operationId: lost.operationId } });
    expect(released).toMatchObject({ status: 'released', generation: 2 });

    expect(bodyOf(await lost.again())).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
    const books = await harness.sandbox.refundsOf(lost.operationId);
    expect(books.map(({ status, metadata }) => [status, metadata.generation])).toEqual([
      ['failed', '1'],
      ['succeeded', '2'],
    ]);
    const ours = await harness.db.refund.findFirstOrThrow({ where: { operationId: lost.operationId } });
    expect(ours).toMatchObject({ status: 'succeeded', providerRefundId: books[1]?.id });
    expect(await stateOf(lost)).toMatchObject({ status: 'completed', reservedMinor: 1200 });
  });

  test('is no evidence about the next attempt: when that one is lost as well, it is found by its own generation', async () => {
    const lost = await failedLater();
    expect(await lost.again({ ...harness.provider, createRefund: lostResponse })).toMatchObject({
      kind: 'pending',
    });
    expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'test')).toMatchObject({
      kind: 'completed',
    });
    const [, second, ...more] = await harness.sandbox.refundsOf(lost.operationId);
    expect(more).toEqual([]);
    const ours = await harness.db.refund.findFirstOrThrow({ where: { operationId: lost.operationId } });
    expect(ours).toMatchObject({ status: 'succeeded', generation: 2, providerRefundId: second?.id });
  });

  test('an attempt that never reached the provider keeps its generation, so that sending it again stays one refund', async () => {
    const { paymentId } = bodyOf(await harness.pay(command(), newKey())) as unknown as { paymentId: string };
    const request = {
      tenantId: harness.tenantId,
      principal: 'tester',
      keyHeader: newKey(),
      input: { paymentId },
    };
    const away = {
      ...harness.provider,
      createRefund: respond({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    const refund = (using: PaymentProvider) =>
      harness.engine.run(createRefundKind.definition, request, (execution) =>
        createRefundKind.handle(using, execution, { paymentId, reference: 'return-1' }),
      );
    expect(await refund(away)).toMatchObject({ kind: 'refused' });
    expect(await harness.db.refund.findFirstOrThrow({ where: { paymentId } })).toMatchObject({
      status: 'released',
      generation: 1,
    });
    expect(bodyOf(await refund(harness.provider))).toMatchObject({ status: 'succeeded' });
  });
});

describe.each([{ amountMinor: 300 }, { amountMinor: 1201 }, { currency: 'eur' }])(
  'a refund of another amount than was requested (%o) is not booked automatically',
  (other) => {
    const asked = { amountMinor: 1200, currency: 'usd' };
    const paidBack = respond({
      kind: 'responded',
      refund: { id: 're_1', state: 'succeeded', ...asked, ...other, ...ofFirstTry },
    });
    const contradictory = { kind: 'still_unknown', code: 'contradictory' };

    async function expectNothingBooked(lost: { paymentId: string; operationId: string }) {
      expect(await stateOf(lost)).toEqual(stillUnknown);
      const { paymentId } = lost;
      expect(await harness.db.ledgerEntry.count({ where: { paymentId, kind: 'refund' } })).toBe(0);
    }

    test('not when it is found, nor when it is the response to sending it again; a definitive response completes it', async () => {
      const lost = await refundUnknown(true);
      script = { findRefund: paidBack };
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'poller')).toEqual(contradictory);
      script = { findRefund: async () => undefined, createRefund: paidBack };
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'webhook:evt_1')).toEqual(
        contradictory,
      );
      await expectNothingBooked(lost);

      script = {};
      expect(await reconciler.reconcile(harness.refOf(lost.operationId), 'poller')).toMatchObject({
        kind: 'completed',
      });
    });

    test('nor by its owner: unknown, with what was requested and what was found', async () => {
      const owned = await refundUnknown(false, paidBack);
      await expectNothingBooked(owned);
      const event = await harness.db.idempotencyEvent.findFirst({
        where: { tenantId: harness.tenantId, recordId: owned.operationId, toStatus: 'unknown' },
      });
      expect(event).toMatchObject({
        cause: 'contradictory',
        evidence: { refund: 're_1', state: 'succeeded', asked, found: { ...asked, ...other } },
      });
    });
  },
);

test('a refund is never sent again while its owner is alive', async () => {
  const { paymentId } = bodyOf(await harness.pay(command(), newKey())) as unknown as { paymentId: string };
  let resent = 0;
  script = {
    createRefund: async (request) => {
      resent += 1;
      return harness.provider.createRefund(request);
    },
  };
  let found: unknown;
  const owned: PaymentProvider = {
    ...harness.provider,
    async createRefund(request) {
      found = await reconciler.reconcile(harness.refOf(request.operationId), 'webhook:evt_1');
      return harness.provider.createRefund(request);
    },
  };
  const request = {
    tenantId: harness.tenantId,
    principal: 'tester',
    keyHeader: newKey(),
    input: { paymentId },
  };
  const outcome = await harness.engine.run(createRefundKind.definition, request, (execution) =>
    createRefundKind.handle(owned, execution, { paymentId, reference: 'return-1' }),
  );
  expect(bodyOf(outcome)).toMatchObject({ status: 'succeeded' });
  expect(found).toEqual({ kind: 'still_unknown', code: 'refund_not_found', noEvidence: true });
  expect(resent).toBe(0);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  createRefund,
  createRefundOperation,
  type PaymentProvider,
  type RefundResult,
} from '#payments/index.ts';
import { answered, command, newKey, openPaymentStand, type PaymentStand } from '#payments/testing/harness.ts';
import { createRefundInvestigator } from '#payments/operations/create-refund/investigate.ts';
import { createReconciler, type Reconciler } from './reconcile.ts';

let stand: PaymentStand;
let reconciler: Reconciler;
/** What the provider is made to say instead of what it would. */
let script: Partial<Pick<PaymentProvider, 'findRefund' | 'createRefund'>> = {};
beforeAll(async () => {
  stand = await openPaymentStand();
  const provider: PaymentProvider = {
    ...stand.provider,
    findRefund: (request) => (script.findRefund ?? stand.provider.findRefund)(request),
    createRefund: (request) => (script.createRefund ?? stand.provider.createRefund)(request),
  };
  const investigators = [createRefundInvestigator({ db: stand.db, provider })];
  reconciler = createReconciler({ ...stand, investigators });
});
beforeEach(() => {
  script = {};
});
afterAll(() => stand.close());

const says = (result: RefundResult) => async () => result;
const rejected = (code: string) => says({ kind: 'rejected', code });

const lostAnswer = says({ kind: 'ambiguous', code: 'provider_timeout' });

/** A refund whose answer was lost, or was another, after the provider made it or before. */
async function refundInto(made: boolean, answer = lostAnswer) {
  const paid = answered(await stand.pay(command(), newKey()));
  const paymentId = String(paid.paymentId);
  const lost: PaymentProvider = {
    ...stand.provider,
    async createRefund(request) {
      if (made) await stand.provider.createRefund(request);
      return answer();
    },
  };
  const keyHeader = newKey();
  const request = { tenantId: stand.tenantId, principal: 'tester', keyHeader, input: { paymentId } };
  const refund = (using: PaymentProvider) =>
    stand.engine.run(createRefundOperation, request, (execution) =>
      createRefund(using, execution, { paymentId }),
    );
  const outcome = await refund(lost);
  if (outcome.kind !== 'pending') throw new Error(`Expected pending, got ${JSON.stringify(outcome)}`);
  const again = (using: PaymentProvider = stand.provider) => refund(using);
  return { paymentId, operationId: outcome.operationId, again };
}

async function stateOf({ paymentId, operationId }: { paymentId: string; operationId: string }) {
  const [record, payment, refund] = await Promise.all([
    stand.store.findById(operationId),
    stand.db.payment.findUniqueOrThrow({ where: { id: paymentId } }),
    stand.db.refund.findUniqueOrThrow({ where: { operationId } }),
  ]);
  return { status: record?.status, refund: refund.status, reservedMinor: Number(payment.refundedMinor) };
}

const stillUnknown = { status: 'unknown', refund: 'pending', reservedMinor: 1200 };

describe('a refund of unknown outcome is not given up because somebody was refused', () => {
  test.each(['api_key_expired', 'authentication_error', 'permission_error', 'resource_missing'])(
    'the lookup is refused with %s: it stays unknown and reserved, and a good answer settles it',
    async (code) => {
      const lost = await refundInto(true);
      script = { findRefund: rejected(code) };
      expect(await reconciler.reconcile(lost.operationId, 'test')).toEqual({
        kind: 'still_unknown',
        code,
        noWord: true,
      });
      expect(await stateOf(lost)).toEqual(stillUnknown);

      script = {};
      expect(await reconciler.reconcile(lost.operationId, 'test')).toMatchObject({ kind: 'settled' });
      expect(await stateOf(lost)).toEqual({ status: 'completed', refund: 'succeeded', reservedMinor: 1200 });
    },
  );

  test.each(['idempotency_error', 'charge_already_refunded', 'authentication_error'])(
    'it is not listed, and sent again it is refused with %s: it stays unknown, and a good answer settles it',
    async (code) => {
      const lost = await refundInto(true);
      script = { findRefund: async () => undefined, createRefund: rejected(code) };
      expect(await reconciler.reconcile(lost.operationId, 'test')).toEqual({
        kind: 'still_unknown',
        code,
        noWord: true,
      });
      expect(await stateOf(lost)).toEqual(stillUnknown);

      script = {};
      expect(await reconciler.reconcile(lost.operationId, 'test')).toMatchObject({ kind: 'settled' });
      expect(await stateOf(lost)).toMatchObject({ status: 'completed', refund: 'succeeded' });
    },
  );

  test.each(['not_executed', 'ambiguous'] as const)('nor because an answer was %s', async (kind) => {
    const lost = await refundInto(false);
    script = { createRefund: says({ kind, code: 'provider_trouble' }) };
    expect(await reconciler.reconcile(lost.operationId, 'test')).toEqual({
      kind: 'still_unknown',
      code: 'provider_trouble',
      noWord: true,
    });
    expect(await stateOf(lost)).toEqual(stillUnknown);
  });

  test('what the provider says has failed is released, and its key may try again', async () => {
    const lost = await refundInto(false);
    script = {
      findRefund: says({
        kind: 'answered',
        refund: { id: 're_1', state: 'failed', amountMinor: 1200, currency: 'eur' },
      }),
    };
    expect(await reconciler.reconcile(lost.operationId, 'test')).toMatchObject({ kind: 'released' });
    expect(await stateOf(lost)).toEqual({
      status: 'failed_retryable',
      refund: 'released',
      reservedMinor: 0,
    });
    expect(answered(await lost.again())).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
  });
});

describe('a refund that the provider made and that failed later', () => {
  /** Its answer was lost; by the time somebody asks, the bank has sent the money back. */
  async function failedLater() {
    const lost = await refundInto(true);
    const [made] = await stand.sandbox.refundsOf(lost.operationId);
    await stand.sandbox.control('refunds/fail', { refund: made?.id });
    expect(await reconciler.reconcile(lost.operationId, 'test')).toMatchObject({ kind: 'released' });
    return lost;
  }

  test('is made anew by the next try, under a new generation, not replayed from how it began', async () => {
    const lost = await failedLater();
    const released = await stand.db.refund.findUniqueOrThrow({ where: { operationId: lost.operationId } });
    expect(released).toMatchObject({ status: 'released', generation: 2 });

    expect(answered(await lost.again())).toMatchObject({ status: 'succeeded', amountMinor: 1200 });
    const books = await stand.sandbox.refundsOf(lost.operationId);
    expect(books.map(({ status, metadata }) => [status, metadata.generation])).toEqual([
      ['failed', '1'],
      ['succeeded', '2'],
    ]);
    const ours = await stand.db.refund.findUniqueOrThrow({ where: { operationId: lost.operationId } });
    expect(ours).toMatchObject({ status: 'succeeded', providerRefundId: books[1]?.id });
    expect(await stateOf(lost)).toMatchObject({ status: 'completed', reservedMinor: 1200 });
  });

  test('says nothing about the next try: when that one is lost as well, it is looked up by its own generation', async () => {
    const lost = await failedLater();
    expect(await lost.again({ ...stand.provider, createRefund: lostAnswer })).toMatchObject({
      kind: 'pending',
    });
    expect(await reconciler.reconcile(lost.operationId, 'test')).toMatchObject({ kind: 'settled' });
    const [, second, ...more] = await stand.sandbox.refundsOf(lost.operationId);
    expect(more).toEqual([]);
    const ours = await stand.db.refund.findUniqueOrThrow({ where: { operationId: lost.operationId } });
    expect(ours).toMatchObject({ status: 'succeeded', generation: 2, providerRefundId: second?.id });
  });

  test('a try that never reached the provider keeps its generation, so that sending it again stays one refund', async () => {
    const { paymentId } = answered(await stand.pay(command(), newKey())) as unknown as { paymentId: string };
    const request = {
      tenantId: stand.tenantId,
      principal: 'tester',
      keyHeader: newKey(),
      input: { paymentId },
    };
    const away = {
      ...stand.provider,
      createRefund: says({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    const refund = (using: PaymentProvider) =>
      stand.engine.run(createRefundOperation, request, (execution) =>
        createRefund(using, execution, { paymentId }),
      );
    expect(await refund(away)).toMatchObject({ kind: 'refused' });
    expect(await stand.db.refund.findFirstOrThrow({ where: { paymentId } })).toMatchObject({
      status: 'released',
      generation: 1,
    });
    expect(answered(await refund(stand.provider))).toMatchObject({ status: 'succeeded' });
  });
});

describe.each([{ amountMinor: 300 }, { amountMinor: 1201 }, { currency: 'eur' }])(
  'a refund of other money than was asked for (%o) is booked by no machine',
  (other) => {
    const asked = { amountMinor: 1200, currency: 'usd' };
    const paidBack = says({
      kind: 'answered',
      refund: { id: 're_1', state: 'succeeded', ...asked, ...other },
    });
    const contradictory = { kind: 'still_unknown', code: 'contradictory' };

    async function expectNothingBooked(lost: { paymentId: string; operationId: string }) {
      expect(await stateOf(lost)).toEqual(stillUnknown);
      const { paymentId } = lost;
      expect(await stand.db.ledgerEntry.count({ where: { paymentId, kind: 'refund' } })).toBe(0);
    }

    test('not where it is found, nor where it is the answer to sending it again; a good answer settles it', async () => {
      const lost = await refundInto(true);
      script = { findRefund: paidBack };
      expect(await reconciler.reconcile(lost.operationId, 'poller')).toEqual(contradictory);
      script = { findRefund: async () => undefined, createRefund: paidBack };
      expect(await reconciler.reconcile(lost.operationId, 'webhook:evt_1')).toEqual(contradictory);
      await expectNothingBooked(lost);

      script = {};
      expect(await reconciler.reconcile(lost.operationId, 'poller')).toMatchObject({ kind: 'settled' });
    });

    test('nor by its owner: unknown, with what was asked and what was found', async () => {
      const owned = await refundInto(false, paidBack);
      await expectNothingBooked(owned);
      const doubt = await stand.db.idempotencyEvent.findFirst({
        where: { recordId: owned.operationId, toStatus: 'unknown' },
      });
      expect(doubt).toMatchObject({
        cause: 'contradictory',
        evidence: { refund: 're_1', state: 'succeeded', asked, found: { ...asked, ...other } },
      });
    });
  },
);

test('a refund is never sent again while its owner is alive', async () => {
  const { paymentId } = answered(await stand.pay(command(), newKey())) as unknown as { paymentId: string };
  let resent = 0;
  script = {
    createRefund: async (request) => {
      resent += 1;
      return stand.provider.createRefund(request);
    },
  };
  let found: unknown;
  const owned: PaymentProvider = {
    ...stand.provider,
    async createRefund(request) {
      found = await reconciler.reconcile(request.operationId, 'webhook:evt_1');
      return stand.provider.createRefund(request);
    },
  };
  const request = {
    tenantId: stand.tenantId,
    principal: 'tester',
    keyHeader: newKey(),
    input: { paymentId },
  };
  const outcome = await stand.engine.run(createRefundOperation, request, (execution) =>
    createRefund(owned, execution, { paymentId }),
  );
  expect(answered(outcome)).toMatchObject({ status: 'succeeded' });
  expect(found).toEqual({ kind: 'still_unknown', code: 'refund_not_found', noWord: true });
  expect(resent).toBe(0);
});

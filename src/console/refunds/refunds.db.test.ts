import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createRefundKind, openException, type PaymentProvider, runOperation } from '#payments/index.ts';
import { bodyOf, command, newKey } from '#payments/testing/harness.ts';
import { listExceptions } from '../exceptions/list-exceptions.ts';
import { refundAsOperator } from '../exceptions/refund-as-operator.ts';
import { RoleLost } from '../members/membership.ts';
import { readAttention } from '../overview/overview.ts';
import { exportPayments } from '../payments/export-payments.ts';
import { findPayment } from '../payments/find-payment.ts';
import { listPayments } from '../payments/list-payments.ts';
import type { PaymentOutcome } from '../payments/payment-filter.ts';
import { type OperatorsHarness, openOperatorsHarness, person } from '../testing/operators-harness.ts';
import { approveRefund, rejectRefund, withdrawRefund } from './decide-refund.ts';
import { setRefundLimits } from './refund-limits.ts';
import { refundPayment } from './refund-payment.ts';
import { listRefundProposals } from './refund-proposals.ts';
import type { RefundRequest } from './refund-request.ts';

let harness: OperatorsHarness;
let operator: ReturnType<typeof person>;
let approver: ReturnType<typeof person>;
beforeAll(async () => {
  harness = await openOperatorsHarness();
  operator = person(harness.tenantId, 'operator');
  approver = await harness.appoint('approver');
});
afterEach(() => harness.db.refundLimit.deleteMany());
afterAll(() => harness.close());

const reason = 'The cup arrived broken.';

async function paid(): Promise<string> {
  return String(bodyOf(await harness.pay(command(), newKey())).paymentId);
}

function refund(
  over: Partial<RefundRequest> & { paymentId: string },
  who = operator,
  provider = harness.provider,
) {
  return refundPayment({ ...harness, provider }, who, {
    amountMinor: 500,
    refundsBefore: 0,
    reason,
    ...over,
  });
}

const refundsOf = (paymentId: string) =>
  harness.db.refund.findMany({ where: { paymentId }, orderBy: { createdAt: 'asc' } });
const entriesOf = async (subjectId: string) =>
  (await harness.db.auditEntry.findMany({ where: { subjectId }, orderBy: { id: 'asc' } })).map(
    ({ action, actorEmail }) => `${action} ${actorEmail}`,
  );
/** As the provider has them. */
async function refundedAtProvider(paymentId: string): Promise<number> {
  const { reference } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
  const response = await fetch(`${harness.sandbox.url}/_sandbox/charges?reference=${reference}`);
  const { data } = (await response.json()) as { data: { amount_refunded?: number }[] };
  return data.reduce((sum, { amount_refunded = 0 }) => sum + amount_refunded, 0);
}

describe('a refund from the console', () => {
  test('in part, then the rest: each is booked, and written down with its reason', async () => {
    const paymentId = await paid();
    expect(await refund({ paymentId })).toMatchObject({ kind: 'refunded' });
    expect(await refund({ paymentId, amountMinor: 700, refundsBefore: 1 })).toMatchObject({
      kind: 'refunded',
    });
    expect(await refundsOf(paymentId)).toMatchObject([
      { reference: 'console-1', amountMinor: 500n, status: 'succeeded' },
      { reference: 'console-2', amountMinor: 700n, status: 'succeeded' },
    ]);
    expect(await entriesOf(paymentId)).toEqual(Array(2).fill(`payment.refund ${operator.email}`));
    const [entry] = await harness.db.auditEntry.findMany({ where: { subjectId: paymentId } });
    expect(entry).toMatchObject({ reason, details: { amountMinor: 500 } });
  });

  test('ten clicks at once, of two operators with the same page, are one refund', async () => {
    const paymentId = await paid();
    const other = person(harness.tenantId, 'operator');
    const clicks = Array.from({ length: 10 }, (_, n) => refund({ paymentId }, n % 2 ? other : operator));
    const kinds = new Set((await Promise.all(clicks)).map(({ kind }) => kind));
    expect([...kinds].filter((kind) => kind !== 'refunded' && kind !== 'in_progress')).toEqual([]);
    expect(await refund({ paymentId }, other)).toMatchObject({ kind: 'refunded' });
    expect(await refundsOf(paymentId)).toHaveLength(1);
    expect(await entriesOf(paymentId)).toHaveLength(1);
  });

  test('two operators with the same page and different amounts: one refund is made, the other is outdated', async () => {
    const paymentId = await paid();
    const results = await Promise.all([
      refund({ paymentId, amountMinor: 300 }),
      refund({ paymentId, amountMinor: 400 }),
    ]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['outdated', 'refunded']);
    expect((await refundsOf(paymentId)).filter(({ status }) => status === 'succeeded')).toHaveLength(1);
    expect(await refund({ paymentId, amountMinor: 200 })).toEqual({ kind: 'outdated' });
  });

  test('one that the provider refused to take can be made again, also with another amount', async () => {
    const paymentId = await paid();
    const unreachable: PaymentProvider = {
      ...harness.provider,
      createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    expect(await refund({ paymentId }, operator, unreachable)).toMatchObject({ kind: 'refused' });
    expect(await refund({ paymentId, amountMinor: 600 })).toMatchObject({ kind: 'refunded' });
  });

  test('one that was refused is outdated once another was made: the operator has not seen that one', async () => {
    const paymentId = await paid();
    const unreachable: PaymentProvider = {
      ...harness.provider,
      createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    expect(await refund({ paymentId }, operator, unreachable)).toMatchObject({ kind: 'refused' });
    // The merchant's own server gives the same money back.
    const input = { paymentId, reference: 'return-1', amountMinor: 500 };
    const caller = { tenantId: harness.tenantId, principal: 'api', keyHeader: newKey() };
    bodyOf(await runOperation(harness, createRefundKind, caller, input));
    expect(await refund({ paymentId })).toEqual({ kind: 'outdated' });
    expect(await refundedAtProvider(paymentId)).toBe(500);
  });

  test('one at the moment in which the merchant’s own server makes another is outdated: the payment decides, not what was read before', async () => {
    const paymentId = await paid();
    const input = { paymentId, reference: 'return-1', amountMinor: 500 };
    const caller = { tenantId: harness.tenantId, principal: 'api', keyHeader: newKey() };
    const { merchants, operators } = await harness.db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT FROM payment WHERE id = ${paymentId}::uuid FOR NO KEY UPDATE`;
        const merchants = runOperation(harness, createRefundKind, caller, input);
        await expect.poll(harness.countWaiting).toBe(1);
        const operators = refund({ paymentId });
        await expect.poll(harness.countWaiting).toBe(2);
        return { merchants, operators };
      },
      { timeout: 30_000 },
    );
    expect(bodyOf(await merchants)).toMatchObject({ status: 'succeeded' });
    expect(await operators).toEqual({ kind: 'outdated' });
    expect(await refundedAtProvider(paymentId)).toBe(500);
  });

  test('one without a response is unknown, like every operation, and is never made a second time', async () => {
    const paymentId = await paid();
    const lost: PaymentProvider = {
      ...harness.provider,
      async createRefund(request) {
        await harness.provider.createRefund(request);
        return { kind: 'ambiguous', code: 'provider_timeout' };
      },
    };
    const first = await refund({ paymentId }, operator, lost);
    expect(first).toMatchObject({ kind: 'unknown' });
    expect(await refund({ paymentId })).toEqual(first);
    if (first.kind !== 'unknown') throw new Error('It is unknown.');
    await harness.services.reconciler.reconcile(harness.refOf(first.operationId), 'poller');
    expect(await refund({ paymentId })).toMatchObject({ kind: 'refunded' });
    expect(await refundsOf(paymentId)).toMatchObject([{ status: 'succeeded' }]);
  });

  test('until its outcome is known, no page, list or export says that the money was paid back', async () => {
    const paymentId = await paid();
    const lost: PaymentProvider = {
      ...harness.provider,
      createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }),
    };
    expect(await refund({ paymentId }, operator, lost)).toMatchObject({ kind: 'unknown' });
    const { tenantId } = harness;
    const filtered = async (outcome: PaymentOutcome) => {
      const { payments } = await listPayments(harness.db, { tenantId, filter: { outcome }, limit: 100 });
      return payments.find(({ id }) => id === paymentId);
    };
    const open = {
      outcome: 'refund_unknown',
      refunded: { amountMinor: 0 },
      refundsPending: { amountMinor: 500 },
    };
    expect(await filtered('refund_unknown')).toMatchObject(open);
    expect([await filtered('refunded'), await filtered('paid')]).toEqual([undefined, undefined]);
    const page = await findPayment(harness.db, tenantId, paymentId);
    const { outcome, ...amounts } = open;
    expect(page).toMatchObject({ outcome, payment: amounts, refundable: { amountMinor: 700 } });
    const lines = await Array.fromAsync(exportPayments(harness.db, { tenantId, filter: {} }));
    const line = lines
      .join('')
      .split('\r\n')
      .find((one) => one.includes(paymentId));
    expect(line).toMatch(/,12\.00,0\.00,5\.00,USD,refund_unknown,/);
  });

  test('never more than was paid, and nothing of another tenant’s payment', async () => {
    const paymentId = await paid();
    expect(await refund({ paymentId, amountMinor: 5_000 })).toMatchObject({ kind: 'refused' });
    expect(await refund({ paymentId }, person('elsewhere', 'owner'))).toEqual({ kind: 'missing' });
    expect(await refundedAtProvider(paymentId)).toBe(0);
  });
});

describe('above the tenant’s limit', () => {
  async function proposed(amountMinor = 1_100) {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 1_000 }]);
    const paymentId = await paid();
    expect(await refund({ paymentId, amountMinor })).toEqual({ kind: 'proposed' });
    const { id } = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId } });
    return { paymentId, id };
  }

  test('a refund waits for a second person, who is not the proposer', async () => {
    const { paymentId, id } = await proposed();
    expect(await refund({ paymentId, amountMinor: 1_100 })).toEqual({ kind: 'already_proposed' });
    expect(await refundsOf(paymentId)).toEqual([]);
    expect(await approveRefund(harness, operator, { id })).toEqual({ kind: 'own_proposal' });
    const approvals = await Promise.all([
      approveRefund(harness, approver, { id }),
      approveRefund(harness, await harness.appoint('owner'), { id }),
    ]);
    expect(approvals.map(({ kind }) => kind)).toContain('approved');
    expect(await refundsOf(paymentId)).toMatchObject([{ amountMinor: 1_100n, status: 'succeeded' }]);
    expect((await entriesOf(paymentId)).map((entry) => entry.split(' ')[0])).toEqual([
      'refund_proposal.open',
      'refund_proposal.approve',
      'payment.refund',
    ]);
  });

  test('what could not be made is not proposed: more than is left, or of a payment that took no money', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
    const paymentId = await paid();
    expect(await refund({ paymentId, amountMinor: 1_201 })).toMatchObject({ code: 'refund_exceeds_payment' });
    const declined = bodyOf(
      await harness.pay(command({ paymentMethod: 'pm_card_chargeDeclined' }), newKey()),
    );
    expect(await refund({ paymentId: String(declined.paymentId), amountMinor: 600 })).toMatchObject({
      code: 'payment_not_refundable',
    });
    expect(await refund({ paymentId, amountMinor: 1_200 })).toEqual({ kind: 'proposed' });
    expect(await harness.db.refundProposal.count({ where: { paymentId } })).toBe(1);
  });

  test('an approved refund that could not be made is made by approving it again', async () => {
    const { paymentId, id } = await proposed();
    const unreachable: PaymentProvider = {
      ...harness.provider,
      createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    const first = await approveRefund({ ...harness, provider: unreachable }, approver, { id });
    expect(first).toMatchObject({ kind: 'approved', result: { kind: 'refused' } });
    expect(await approveRefund(harness, approver, { id })).toMatchObject({ result: { kind: 'refunded' } });
    expect(await refundsOf(paymentId)).toMatchObject([{ status: 'succeeded' }]);
  });

  test('an approved refund that was not made waits for a person, until it or another one is made', async () => {
    const { db, tenantId } = harness;
    const waits = async (id: string) => {
      const { open, decided } = await listRefundProposals(db, tenantId);
      const { approvals } = await readAttention(db, tenantId);
      const found = [...open, ...decided].find((one) => one.id === id);
      return [found?.waits, open.some((one) => one.id === id), approvals - before];
    };
    const unreachable: PaymentProvider = {
      ...harness.provider,
      createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
    };
    const { approvals: before } = await readAttention(db, tenantId);
    const { id } = await proposed();
    expect(await waits(id)).toEqual([true, true, 1]);
    await approveRefund({ ...harness, provider: unreachable }, approver, { id });
    expect(await waits(id)).toEqual([true, true, 1]);
    await approveRefund(harness, approver, { id });
    expect(await waits(id)).toEqual([false, false, 0]);

    const overtaken = await proposed();
    await approveRefund({ ...harness, provider: unreachable }, approver, { id: overtaken.id });
    expect(await refund({ paymentId: overtaken.paymentId, amountMinor: 100 })).toMatchObject({
      kind: 'refunded',
    });
    expect(await waits(overtaken.id)).toEqual([false, false, 0]);
  });

  test('one that was asked for as a proposal is proposed, also when the limit was raised meanwhile', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 2_000 }]);
    const paymentId = await paid();
    expect(await refund({ paymentId, amountMinor: 1_100, propose: true })).toEqual({ kind: 'proposed' });
    expect(await refundsOf(paymentId)).toEqual([]);
    const { id } = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId } });
    expect(await approveRefund(harness, approver, { id })).toMatchObject({ result: { kind: 'refunded' } });
  });

  test('another refund made meanwhile makes the proposal void', async () => {
    const { paymentId, id } = await proposed();
    expect(await refund({ paymentId, amountMinor: 100 })).toMatchObject({ kind: 'refunded' });
    expect(await approveRefund(harness, approver, { id })).toEqual({ kind: 'void' });
    expect(await refundsOf(paymentId)).toHaveLength(1);
  });

  test('rejected by another, withdrawn by the proposer, and decided once', async () => {
    const first = await proposed();
    expect(await rejectRefund(harness.db, approver, { id: first.id, note: 'Not broken.' })).toEqual({
      kind: 'rejected',
    });
    expect(await approveRefund(harness, approver, { id: first.id })).toEqual({
      kind: 'not_open',
      status: 'rejected',
    });
    const second = await proposed();
    expect(await withdrawRefund(harness.db, approver, { id: second.id })).toEqual({ kind: 'not_yours' });
    expect(await withdrawRefund(harness.db, operator, { id: second.id })).toEqual({ kind: 'withdrawn' });
    expect(await refundsOf(first.paymentId)).toEqual([]);
  });

  test('what one person refunds in parts counts together; what a second one approved does not', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
    const paymentId = await paid();
    const first = { paymentId, amountMinor: 300 };
    const second = { paymentId, amountMinor: 201, refundsBefore: 1 };
    expect(await refund(first)).toMatchObject({ kind: 'refunded' });
    expect(await refund(first), 'the same refund again').toMatchObject({ kind: 'refunded' });
    // Also as another operator: one person may have two accounts, and a colleague refunds without knowing.
    expect(await refund(second, person(harness.tenantId, 'operator'))).toEqual({ kind: 'proposed' });
    expect(await refundedAtProvider(paymentId)).toBe(300);
    const { id } = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId } });
    expect(await approveRefund(harness, approver, { id })).toMatchObject({ result: { kind: 'refunded' } });
    expect(await refund({ paymentId, amountMinor: 200, refundsBefore: 2 })).toMatchObject({
      kind: 'refunded',
    });
    expect(await refund({ paymentId, amountMinor: 1, refundsBefore: 3 })).toEqual({ kind: 'proposed' });
    expect(await refundedAtProvider(paymentId)).toBe(701);
  });

  test('parts that are sent at the same moment, under numbers of pages never seen, stay within the limit', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
    const paymentId = await paid();
    const parts = Array.from({ length: 6 }, (_, n) =>
      refund({ paymentId, amountMinor: 200 + n, refundsBefore: n }),
    );
    const kinds = (await Promise.all(parts)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'refunded').length).toBeGreaterThan(0);
    expect(kinds.filter((kind) => kind === 'proposed').length).toBeLessThan(2);
    expect(await refundedAtProvider(paymentId)).toBeLessThanOrEqual(500);
    expect(await harness.db.refund.count({ where: { paymentId, status: 'pending' } })).toBe(0);
  });

  test.each([1, 1_000_000, 2_147_483_647])(
    'after %i refunds that were never made none is proposed or made: it would never be outdated',
    async (refundsBefore) => {
      await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
      const paymentId = await paid();
      for (const amountMinor of [400, 600]) {
        expect(await refund({ paymentId, amountMinor, refundsBefore })).toEqual({ kind: 'outdated' });
      }
      expect(await harness.db.refundProposal.count({ where: { paymentId } })).toBe(0);
      expect(await refundsOf(paymentId)).toEqual([]);
      expect(await refund({ paymentId, amountMinor: 400 })).toMatchObject({ kind: 'refunded' });
    },
  );

  test('a member who became an approver less than a day ago cannot approve, by the code and by the database', async () => {
    const newcomer = person(harness.tenantId, 'approver');
    const { tenantId, userId, email } = newcomer;
    await harness.db.user.create({ data: { id: userId, email, name: 'New' } });
    await harness.db.member.create({
      data: { id: userId, organizationId: tenantId, userId, role: 'approver', joinedBy: 'mailed_link' },
    });
    const { paymentId, id } = await proposed();
    expect(await approveRefund(harness, newcomer, { id })).toMatchObject({ kind: 'too_new' });
    await expect(
      harness.db.refundProposal.update({
        where: { tenantId_id: { tenantId, id } },
        data: { status: 'approved', decidedById: userId, decidedByEmail: email, decidedAt: new Date() },
      }),
    ).rejects.toThrow('may not approve');
    expect(await refundsOf(paymentId)).toEqual([]);
    await harness.db.$executeRaw`
      UPDATE member SET approves_from = approves_from - interval '24 hours' WHERE id = ${userId}`;
    expect(await approveRefund(harness, newcomer, { id })).toMatchObject({ result: { kind: 'refunded' } });
  });

  test('a person without the role approves nothing, by the code and by the database', async () => {
    const leaving = await harness.appoint('approver');
    const { paymentId, id } = await proposed();
    await harness.db.member.update({ where: { id: leaving.userId }, data: { role: 'operator' } });
    await expect(approveRefund(harness, leaving, { id })).rejects.toThrow(RoleLost);
    const { needs: _, ...withoutCheck } = leaving;
    await expect(approveRefund(harness, withoutCheck, { id })).rejects.toThrow('may not approve');
    expect(await refundsOf(paymentId)).toEqual([]);
  });

  test('an operator who lost the role pays nothing back', async () => {
    const leaving = await harness.appoint('operator');
    const paymentId = await paid();
    await harness.db.member.delete({ where: { id: leaving.userId } });
    await expect(refund({ paymentId }, leaving)).rejects.toThrow(RoleLost);
    expect(await harness.db.refund.count({ where: { paymentId, status: { not: 'released' } } })).toBe(0);
    expect(await refund({ paymentId })).toMatchObject({ kind: 'refunded' });
  });

  test('the database accepts no approval by the proposer', async () => {
    const paymentId = await paid();
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 1_000 }]);
    expect(await refund({ paymentId, amountMinor: 1_100 }, approver)).toEqual({ kind: 'proposed' });
    const { id } = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId } });
    await expect(
      harness.db.$executeRaw`
        UPDATE refund_proposal SET status = 'approved', decided_at = now(), decided_by_id = proposer_id WHERE id = ${id}::uuid`,
    ).rejects.toThrow(/refund_proposal_four_eyes/);
  });

  test('a payment is not refunded by one person as an exception either; what was never booked is', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 1_000 }]);
    const exceptionOf = async (paymentId: string, reason: 'order_cancelled' | 'charged_after_release') => {
      const { tenantId } = harness;
      const { providerIntentId } = await harness.db.payment.findFirstOrThrow({ where: { id: paymentId } });
      const intentId = providerIntentId ?? '';
      await openException(harness.db, { tenantId, paymentId, intentId, reason });
      return harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
    };
    const paymentId = await paid();
    const { id } = await exceptionOf(paymentId, 'order_cancelled');
    expect(
      await refundAsOperator(harness, operator, { id, generation: 1, reason, refundsBefore: 0 }),
    ).toEqual({
      kind: 'not_yet',
      code: 'above_limit',
    });
    expect(await refundedAtProvider(paymentId)).toBe(0);
    expect(await exceptionOf(paymentId, 'order_cancelled')).toMatchObject({
      status: 'open',
      decidedBy: null,
    });
    expect(await entriesOf(id)).toEqual([]);

    const unbooked = command();
    const unreached = {
      ...harness.provider,
      async confirmIntent(...call: Parameters<PaymentProvider['confirmIntent']>) {
        await harness.provider.confirmIntent(...call);
        return { kind: 'not_executed', code: 'provider_unreachable' } as const;
      },
    };
    await harness.pay(unbooked, newKey(), unreached as never);
    const released = await harness.db.payment.findFirstOrThrow({ where: { reference: unbooked.reference } });
    const taken = await exceptionOf(released.id, 'charged_after_release');
    expect(await refundAsOperator(harness, operator, { ...taken, reason, refundsBefore: 0 })).toEqual({
      kind: 'refunded',
    });
  });

  describe('a refund that the bank returned', () => {
    async function returned(amountMinor: number, makeIt: (paymentId: string) => Promise<unknown>) {
      await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
      const paymentId = await paid();
      await makeIt(paymentId);
      const [made] = await refundsOf(paymentId);
      expect(made).toMatchObject({ amountMinor: BigInt(amountMinor), status: 'succeeded' });
      const failed = await fetch(`${harness.sandbox.url}/_sandbox/refunds/fail`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ refund: made?.providerRefundId, reason: 'lost_or_stolen_card' }),
      });
      expect(failed.status).toBe(200);
      // As the follower of the provider's event books it.
      const { tenantId } = harness;
      const refundId = made?.id ?? '';
      await harness.db.refund.update({
        where: { tenantId_id: { tenantId, id: refundId } },
        data: { status: 'failed', failedAt: new Date() },
      });
      await harness.db.$executeRaw`
        UPDATE payment SET refunded_minor = refunded_minor - ${amountMinor}::int WHERE id = ${paymentId}::uuid`;
      await openException(harness.db, { tenantId, paymentId, refundId, reason: 'refund_failed' });
      const { id } = await harness.db.reconciliationException.findFirstOrThrow({ where: { paymentId } });
      return { id, paymentId };
    }
    const aboveLimit = { kind: 'not_yet', code: 'above_limit' };
    const outdated = { kind: 'not_yet', code: 'outdated' };
    const again = (id: string, refundsBefore: number) =>
      refundAsOperator(harness, operator, { id, generation: 1, reason, refundsBefore });

    test('is made again by one person, and not beside another that was made in its place', async () => {
      const makeIt = (paymentId: string) => refund({ paymentId });
      const once = await returned(500, makeIt);
      expect(await again(once.id, 1)).toEqual({ kind: 'refunded' });
      const { id, paymentId } = await returned(500, makeIt);
      expect(await refund({ paymentId, refundsBefore: 1 })).toMatchObject({ kind: 'refunded' });
      expect(await again(id, 2)).toEqual(aboveLimit);
      expect(await refundedAtProvider(paymentId)).toBe(500);
    });

    test('is not made again on a page that does not show the one made in its place', async () => {
      const { id, paymentId } = await returned(200, (one) => refund({ paymentId: one, amountMinor: 200 }));
      const list = () => listExceptions(harness.db, { tenantId: harness.tenantId, limit: 200 });
      const shown = async () => (await list()).exceptions.find((one) => one.id === id);
      expect(await shown()).toMatchObject({ refundsBefore: 1, refundedSince: { amountMinor: 0 } });
      expect(await refund({ paymentId, amountMinor: 200, refundsBefore: 1 })).toMatchObject({
        kind: 'refunded',
      });
      expect(await again(id, 1)).toEqual(outdated);
      expect(await refundedAtProvider(paymentId)).toBe(200);
      expect(await entriesOf(id)).toEqual([]);
      expect(await shown()).toMatchObject({ refundsBefore: 2, refundedSince: { amountMinor: 200 } });
      expect(await again(id, 2)).toEqual({ kind: 'refunded' });
    });

    test('is not made again by one person when two have decided another in its place', async () => {
      const decided = async (paymentId: string, refundsBefore: number) => {
        expect(await refund({ paymentId, amountMinor: 600, refundsBefore })).toEqual({ kind: 'proposed' });
        const where = { paymentId, status: 'open' };
        const proposal = await harness.db.refundProposal.findFirstOrThrow({ where });
        await approveRefund(harness, approver, { id: proposal.id });
      };
      const { id, paymentId } = await returned(600, (one) => decided(one, 0));
      await decided(paymentId, 1);
      expect(await again(id, 2)).toEqual(aboveLimit);
      expect(await refundedAtProvider(paymentId)).toBe(600);
    });

    test('is not called refunded when the same refund is sent again, nor proposed and approved under its number', async () => {
      const { paymentId } = await returned(500, (one) => refund({ paymentId: one }));
      expect(await refund({ paymentId })).toEqual({ kind: 'outdated' });
      const large = await returned(900, async (one) => {
        expect(await refund({ paymentId: one, amountMinor: 900 })).toEqual({ kind: 'proposed' });
        const proposal = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId: one } });
        await approveRefund(harness, approver, { id: proposal.id });
      });
      const { id } = await harness.db.refundProposal.findFirstOrThrow({
        where: { paymentId: large.paymentId },
      });
      expect(await approveRefund(harness, approver, { id })).toMatchObject({ result: { kind: 'outdated' } });
      expect(await refund({ paymentId: large.paymentId, amountMinor: 900 })).toEqual({ kind: 'outdated' });
      expect(await refundedAtProvider(large.paymentId)).toBe(0);
    });

    test('is not made again beside another that is made at the same moment', async () => {
      const { id, paymentId } = await returned(500, (one) => refund({ paymentId: one }));
      const { both } = await harness.db.$transaction(
        async (tx) => {
          await tx.$queryRaw`SELECT FROM payment WHERE id = ${paymentId}::uuid FOR NO KEY UPDATE`;
          const asException = again(id, 1);
          await expect.poll(harness.countWaiting, { timeout: 15_000 }).toBe(1);
          const inItsPlace = refund({ paymentId, refundsBefore: 1 });
          await expect.poll(harness.countWaiting, { timeout: 15_000 }).toBe(2);
          return { both: Promise.all([asException, inItsPlace]) };
        },
        { timeout: 30_000 },
      );
      const [asException, inItsPlace] = await both;
      expect([asException, inItsPlace.kind]).toBeOneOf([
        [outdated, 'refunded'],
        [{ kind: 'refunded' }, 'proposed'],
        [{ kind: 'refunded' }, 'outdated'],
      ]);
      const live = (await refundsOf(paymentId)).filter(({ status }) => status === 'succeeded');
      expect(live).toHaveLength(1);
    });

    test('is made again by one person when two decided it, also beside what one refunded', async () => {
      const { id, paymentId } = await returned(900, async (one) => {
        expect(await refund({ paymentId: one, amountMinor: 900 })).toEqual({ kind: 'proposed' });
        const proposal = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId: one } });
        await approveRefund(harness, approver, { id: proposal.id });
      });
      expect(await refund({ paymentId, amountMinor: 300, refundsBefore: 1 })).toMatchObject({
        kind: 'refunded',
      });
      expect(await again(id, 2)).toEqual({ kind: 'refunded' });
    });
  });

  test('a limit of another currency, and an amount up to the limit, need one person', async () => {
    await setRefundLimits(harness.db, operator, [{ currency: 'eur', amountMinor: 0 }]);
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 500 }]);
    expect(await refund({ paymentId: await paid() })).toMatchObject({ kind: 'refunded' });
    await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: null }]);
    expect(await refund({ paymentId: await paid(), amountMinor: 1_200 })).toMatchObject({ kind: 'refunded' });
  });
});

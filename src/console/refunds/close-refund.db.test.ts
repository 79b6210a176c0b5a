import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentProvider } from '#payments/index.ts';
import { bodyOf, command, newKey } from '#payments/testing/harness.ts';
import { RoleLost } from '../members/membership.ts';
import { readAttention } from '../overview/overview.ts';
import { type OperatorsHarness, openOperatorsHarness, type person } from '../testing/operators-harness.ts';
import { closeRefund } from './close-refund.ts';
import { approveRefund } from './decide-refund.ts';
import { setRefundLimits } from './refund-limits.ts';
import { refundPayment } from './refund-payment.ts';
import { listRefundProposals } from './refund-proposals.ts';

let harness: OperatorsHarness;
let operator: ReturnType<typeof person>;
let approver: ReturnType<typeof person>;
let unreachable: PaymentProvider;
beforeAll(async () => {
  harness = await openOperatorsHarness();
  [operator, approver] = [await harness.appoint('operator'), await harness.appoint('approver')];
  await setRefundLimits(harness.db, operator, [{ currency: 'usd', amountMinor: 1_000 }]);
  unreachable = {
    ...harness.provider,
    createRefund: async () => ({ kind: 'not_executed', code: 'provider_unreachable' }),
  };
});
afterAll(() => harness.close());

const reason = 'The customer keeps the cup after all.';

async function proposed() {
  const paymentId = String(bodyOf(await harness.pay(command(), newKey())).paymentId);
  const request = { paymentId, amountMinor: 1_100, refundsBefore: 0, reason: 'The cup arrived broken.' };
  expect(await refundPayment(harness, operator, request)).toEqual({ kind: 'proposed' });
  const { id } = await harness.db.refundProposal.findFirstOrThrow({ where: { paymentId } });
  return { paymentId, id };
}

/** Approved while the provider could not be reached. */
async function unmade() {
  const { paymentId, id } = await proposed();
  const approved = await approveRefund({ ...harness, provider: unreachable }, approver, { id });
  expect(approved).toMatchObject({ result: { kind: 'refused' } });
  return { paymentId, id };
}

const refundsOf = (paymentId: string) =>
  harness.db.refund.findMany({ where: { paymentId, status: { not: 'released' } } });
const close = (id: string, who = operator) => closeRefund(harness.db, who, { id, reason });

test('an approved refund that was not made is closed, no longer waits, and is not made by approving again', async () => {
  const { db, tenantId } = harness;
  const { approvals: before } = await readAttention(db, tenantId);
  const { paymentId, id } = await unmade();
  expect(await close(id)).toEqual({ kind: 'closed' });
  expect((await readAttention(db, tenantId)).approvals).toBe(before);
  const { decided } = await listRefundProposals(db, tenantId);
  expect(decided.find((one) => one.id === id)).toMatchObject({
    status: 'closed',
    waits: false,
    decidedBy: approver.email,
    closed: { by: operator.email, reason },
  });
  expect(await approveRefund(harness, approver, { id })).toEqual({ kind: 'not_open', status: 'closed' });
  expect(await close(id)).toEqual({ kind: 'not_waiting' });
  expect(await refundsOf(paymentId)).toEqual([]);
  const entry = await db.auditEntry.findFirstOrThrow({
    where: { subjectId: paymentId, action: 'refund_proposal.close' },
  });
  expect(entry).toMatchObject({ reason, actorEmail: operator.email, details: { proposal: id } });
  // The payment can be refunded again.
  const next = { paymentId, amountMinor: 1_100, refundsBefore: 0, reason };
  expect(await refundPayment(harness, operator, next)).toEqual({ kind: 'proposed' });
});

test('by an approver as well, and by no other operator', async () => {
  const { id } = await unmade();
  await expect(close(id, await harness.appoint('operator'))).rejects.toThrow(RoleLost);
  expect(await close(id, approver)).toEqual({ kind: 'closed' });
});

test('one that is open, was made, may have been made, or was overtaken, is not closed', async () => {
  const open = await proposed();
  expect(await close(open.id)).toEqual({ kind: 'not_waiting' });
  expect(await approveRefund(harness, approver, { id: open.id })).toMatchObject({
    result: { kind: 'refunded' },
  });
  expect(await close(open.id)).toEqual({ kind: 'not_waiting' });

  const silent = await proposed();
  const provider: PaymentProvider = {
    ...harness.provider,
    createRefund: async () => ({ kind: 'ambiguous', code: 'provider_timeout' }),
  };
  const approved = await approveRefund({ ...harness, provider }, approver, { id: silent.id });
  expect(approved).toMatchObject({ result: { kind: 'unknown' } });
  expect(await close(silent.id)).toEqual({ kind: 'not_waiting' });
});

test('one that is being sent at this moment is not closed; one that is closed while it is approved again is not sent', async () => {
  const sent = await unmade();
  let closed: unknown;
  const provider: PaymentProvider = {
    ...harness.provider,
    async createRefund(request) {
      closed = await close(sent.id);
      return harness.provider.createRefund(request);
    },
  };
  const made = await approveRefund({ ...harness, provider }, approver, { id: sent.id });
  expect(made).toMatchObject({ result: { kind: 'refunded' } });
  expect(closed).toEqual({ kind: 'not_waiting' });

  const { paymentId, id } = await unmade();
  // The approval has read the proposal when it claims the key.
  const engine: typeof harness.engine = Object.create(harness.engine, {
    run: {
      value: async (...args: Parameters<typeof harness.engine.run>) => {
        expect(await close(id)).toEqual({ kind: 'closed' });
        return harness.engine.run(...args);
      },
    },
  });
  expect(await approveRefund({ ...harness, engine }, approver, { id })).toEqual({
    kind: 'not_open',
    status: 'closed',
  });
  expect(await refundsOf(paymentId)).toEqual([]);
});

test('the database closes only what was approved, with a reason, and as it was approved', async () => {
  const { id } = await proposed();
  const set = (columns: string) =>
    harness.db.$executeRawUnsafe(
      `UPDATE refund_proposal SET status = 'closed', closed_at = now(), closed_by_id = 'x', closed_by_email = 'x', ${columns} WHERE id = $1::uuid`,
      id,
    );
  await expect(set(`close_reason = 'why'`)).rejects.toThrow('only an approved one can be closed');
  await approveRefund({ ...harness, provider: unreachable }, approver, { id });
  await expect(set(`close_reason = ' '`)).rejects.toThrow('refund_proposal_closed');
  await expect(set(`close_reason = 'why', decided_by_id = 'y'`)).rejects.toThrow('as it was approved');
  expect(await close(id)).toEqual({ kind: 'closed' });
  await expect(
    harness.db.$executeRaw`UPDATE refund_proposal SET status = 'approved' WHERE id = ${id}::uuid`,
  ).rejects.toThrow('final');
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { paymentOutcomes } from '#console/payments/payment-filter.ts';
import { openException } from '#payments/index.ts';
import { type ConsoleCaller, openConsoleHarness } from '#server/testing/console-harness.ts';

type Harness = Awaited<ReturnType<typeof openConsoleHarness>>;

let harness: Harness;
let tenantId: string;
let [one, other]: ConsoleCaller[] = [];
beforeAll(async () => {
  harness = await openConsoleHarness();
  tenantId = await harness.openShop('acme');
  one = (await harness.createMember(tenantId, 'operator')).call;
  other = (await harness.createMember(tenantId, 'operator')).call;
});
afterAll(() => harness.close());

const reason = 'The shopper wrote to us.';
/** What an operator sees of an exception that was just found. */
const generation = 1;
const asShown = { generation, reason, refundsBefore: 0 };

/** Money that was taken for a payment that had ended unpaid. */
async function unexpectedCharge(status = 'released'): Promise<string> {
  const payment = await harness.db.payment.create({
    data: {
      ...{
        id: randomUUID(),
        tenantId,
        operationId: randomUUID(),
        reference: randomUUID(),
        amountMinor: 1200,
      },
      ...{
        currency: 'usd',
        paymentMethod: 'pm_card_visa',
        status,
        providerIntentId: randomUUID(),
        ...(status === 'declined' && { declineCode: 'generic_decline', completedAt: new Date() }),
      },
    },
  });
  const { id } = await harness.db.reconciliationException.create({
    data: {
      tenantId,
      paymentId: payment.id,
      intentId: payment.providerIntentId,
      reason: 'charged_after_release',
    },
  });
  return id;
}

const find = (id: string) =>
  harness.db.reconciliationException.findUniqueOrThrow({ where: { tenantId_id: { tenantId, id } } });

test('an exception is not dismissed while a refund of it may be under way: its money may be on the way back', async () => {
  const id = await unexpectedCharge();
  // The provider does not respond, so the decision to refund stands.
  expect(await one?.exceptions.refund({ id, ...asShown })).toMatchObject({ kind: 'not_yet' });
  expect(await other?.exceptions.dismiss({ id, generation, reason })).toEqual({ kind: 'refund_decided' });
  expect(await find(id)).toMatchObject({ status: 'open', decidedBy: expect.stringMatching(/^operator:/) });
});

test('of a refund and a dismissal at the same moment, one decides', async () => {
  const id = await unexpectedCharge();
  const [refunded, dismissed] = await Promise.all([
    one?.exceptions.refund({ id, ...asShown }),
    other?.exceptions.dismiss({ id, generation, reason }),
  ]);
  const { status } = await find(id);
  expect([refunded?.kind, dismissed?.kind, status]).toBeOneOf([
    ['not_yet', 'refund_decided', 'open'],
    ['not_open', 'dismissed', 'dismissed'],
  ]);
});

test('a decision is about what the operator was shown: what is found out since has to be read first', async () => {
  const id = await unexpectedCharge();
  expect(await other?.exceptions.dismiss({ id, generation, reason })).toEqual({ kind: 'dismissed' });
  const { paymentId, intentId } = await find(id);
  // Its key was tried again, and booked it after the order was cancelled.
  const found = { tenantId, paymentId, intentId: intentId ?? '', reason: 'order_cancelled' } as const;
  expect(await openException(harness.db, found)).toBe(true);
  const undecided = { status: 'open', reason: 'order_cancelled', decidedBy: null };
  expect(await one?.exceptions.dismiss({ id, generation, reason })).toEqual({ kind: 'changed' });
  expect(await find(id)).toMatchObject(undecided);
  const refused = { kind: 'not_yet', code: 'changed' };
  expect(await one?.exceptions.refund({ id, ...asShown })).toEqual(refused);
  expect(await find(id)).toMatchObject(undecided);
  const entries = await harness.db.auditEntry.findMany({ where: { tenantId, subjectId: id } });
  expect(entries.map(({ action }) => action)).toEqual(['exception.dismiss']);
  const { exceptions } = (await one?.exceptions.list({ onlyOpen: true })) ?? {};
  const shown = exceptions?.find((exception) => exception.id === id)?.generation ?? 0;
  expect(await one?.exceptions.dismiss({ id, generation: shown, reason })).toEqual({ kind: 'dismissed' });
});

test.each([
  ['released', 'not_charged'],
  ['declined', 'declined'],
])(
  'a payment that was %s and then found to be charged says so until the money is sent back',
  async (status, otherwise) => {
    const id = await unexpectedCharge(status);
    const { paymentId } = await find(id);
    const outcome = async () => (await one?.payment.get({ paymentId }))?.outcome;
    const listedAs = async () => {
      const listed: string[] = [];
      for (const wanted of paymentOutcomes) {
        const all = await one?.payment.list({ filter: { outcome: wanted } });
        const searched = await one?.payment.list({ filter: { outcome: wanted, search: paymentId } });
        const isListed = all?.payments.some((payment) => payment.id === paymentId);
        expect(searched?.payments.length).toBe(isListed ? 1 : 0);
        if (isListed) listed.push(wanted);
      }
      return listed;
    };
    const shown = async () => [await outcome(), ...(await listedAs())];
    expect(await shown()).toEqual(['found_charged', 'found_charged']);
    await one?.exceptions.dismiss({ id, generation, reason });
    expect(await shown()).toEqual(['found_charged', 'found_charged']);
    await harness.db.reconciliationException.updateMany({ where: { id }, data: { status: 'refunded' } });
    expect(await shown()).toEqual([otherwise, otherwise]);
  },
);

/** The order was cancelled while its payment was under way. */
async function cancelledAndPaid(refundedMinor: number): Promise<string> {
  const intentId = randomUUID();
  const { id: paymentId } = await harness.db.payment.create({
    data: {
      ...{ id: randomUUID(), tenantId, operationId: randomUUID(), reference: randomUUID() },
      ...{ amountMinor: 1200, refundedMinor, currency: 'usd', paymentMethod: 'pm_card_visa' },
      ...{ status: 'succeeded', completedAt: new Date(), providerIntentId: intentId },
    },
  });
  const { id } = await harness.db.reconciliationException.create({
    data: { tenantId, paymentId, intentId, reason: 'order_cancelled' },
  });
  return id;
}

test('an operator reads what a refund of it would pay back, which is what is left of the payment', async () => {
  const ids = [await cancelledAndPaid(0), await cancelledAndPaid(450), await cancelledAndPaid(1200)];
  const { exceptions } = (await one?.exceptions.list({ onlyOpen: true })) ?? {};
  const shown = ids.map((id) => exceptions?.find((exception) => exception.id === id));
  expect(shown.map((exception) => [exception?.toRefund.amountMinor, exception?.refundable])).toEqual([
    [1200, true],
    [750, true],
    [0, false],
  ]);
  expect(shown.map((exception) => exception?.amount.amountMinor)).toEqual([1200, 1200, 1200]);
});

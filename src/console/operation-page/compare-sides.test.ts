import { describe, expect, test } from 'vitest';
import { createPaymentKind, createRefundKind, type OurSide, type ProviderSnapshot } from '#payments/index.ts';
import { compareSides } from './compare-sides.ts';

const payment: OurSide = {
  own: { amount: { amountMinor: 1_200, currency: 'eur' }, status: 'succeeded', providerId: 'pi_1' },
  payment: {
    reference: 'ORDER-1',
    chargeId: 'ch_1',
    declineCode: null,
    createdAt: '2026-11-16T09:00:00.000Z',
  },
};
const refund: OurSide = {
  ...payment,
  own: { amount: { amountMinor: 500, currency: 'eur' }, status: 'succeeded', providerId: 're_1' },
};
const comparePayment = (snapshot: ProviderSnapshot, ours: Ours = {}) =>
  compareSides(createPaymentKind, changed(payment, ours), snapshot);
const compareRefund = (snapshot: ProviderSnapshot, own: Ours['own'] = {}) =>
  compareSides(createRefundKind, changed(refund, { own }), snapshot);

interface Ours {
  readonly own?: Partial<OurSide['own']>;
  readonly payment?: Partial<OurSide['payment']>;
}
function changed(ours: OurSide, over: Ours): OurSide {
  return { own: { ...ours.own, ...over.own }, payment: { ...ours.payment, ...over.payment } };
}

const paid: ProviderSnapshot = {
  state: 'succeeded',
  facts: {
    ...{ id: 'pi_1', chargeId: 'ch_1', amountMinor: 1_200, currency: 'eur', reference: 'ORDER-1' },
    createdAt: '2026-11-16T09:00:01.000Z',
  },
};
const paidBack: ProviderSnapshot = {
  state: 'refund_succeeded',
  facts: { id: 're_1', amountMinor: 500, currency: 'eur' },
};
const differing = (sides: ReturnType<typeof compareSides>) =>
  sides?.filter(({ differs }) => differs).map(({ name }) => name);

describe('a payment compared with the provider’s intent', () => {
  test('has no difference when all facts agree; the times of creation may differ', () => {
    const sides = comparePayment(paid);
    expect(differing(sides)).toEqual([]);
    expect(sides?.map(({ name }) => name)).toEqual([
      ...['State', 'Amount', 'Currency', 'Reference', 'Payment intent', 'Charge', 'Created'],
    ]);
  });

  test.each<[string[], Ours, Partial<ProviderSnapshot>, ProviderSnapshot['facts']]>([
    [['State'], { own: { status: 'pending' } }, {}, {}],
    [['State'], { own: { status: 'released' } }, {}, {}],
    [['Amount'], {}, {}, { amountMinor: 1_201 }],
    [['Amount', 'Currency'], {}, {}, { currency: 'usd' }],
    [['Reference'], {}, {}, { reference: 'ORDER-2' }],
    [['Payment intent'], { own: { providerId: null } }, {}, {}],
    [['Charge'], { payment: { chargeId: null } }, {}, {}],
    [['Decline code'], {}, {}, { declineCode: 'insufficient_funds' }],
    // A charge in progress exists at the provider only. That is a stage, not a difference.
    [[], { own: { status: 'pending' }, payment: { chargeId: null } }, { state: 'processing' }, {}],
  ])('differs in %s and nothing else', (names, ours, theirs, facts) => {
    const snapshot = { ...paid, ...theirs, facts: { ...paid.facts, ...facts } };
    expect(differing(comparePayment(snapshot, ours))).toEqual(names);
  });
});

describe('a refund compared with the provider’s', () => {
  test('shows amount and id of both sides', () => {
    expect(compareRefund(paidBack)).toEqual([
      { name: 'State', kind: 'state', ours: 'succeeded', theirs: 'refund_succeeded', differs: false },
      { name: 'Amount', kind: 'text', ours: '€5.00', theirs: '€5.00', differs: false },
      { name: 'Refund at the provider', kind: 'code', ours: 're_1', theirs: 're_1', differs: false },
    ]);
  });

  test.each<[string[], Ours['own'], Partial<ProviderSnapshot>, ProviderSnapshot['facts']]>([
    [['State'], { status: 'pending' }, {}, {}],
    [['State'], {}, { state: 'refund_failed' }, {}],
    [['Amount'], {}, {}, { amountMinor: 499 }],
    [['Amount'], {}, {}, { currency: 'usd' }],
    [['Refund at the provider'], { providerId: 're_2' }, {}, {}],
    [['State', 'Refund at the provider'], { status: 'pending', providerId: null }, {}, {}],
  ])('differs in %s and nothing else', (names, ours, theirs, facts) => {
    const snapshot = { ...paidBack, ...theirs, facts: { ...paidBack.facts, ...facts } };
    expect(differing(compareRefund(snapshot, ours))).toEqual(names);
  });

  test('that was released agrees with one that failed at the provider', () => {
    const failed: ProviderSnapshot = { ...paidBack, state: 'refund_failed' };
    expect(compareRefund(failed, { status: 'released' })?.[0]).toMatchObject({
      ours: 'released',
      differs: false,
    });
  });

  test('that the provider does not list is compared by its state only', () => {
    const none: ProviderSnapshot = { state: 'no_refund', facts: {} };
    const sides = compareRefund(none, { status: 'pending', providerId: null });
    expect(sides?.map(({ name }) => name)).toEqual(['State']);
    expect(differing(sides)).toEqual(['State']);
  });
});

test.each(['no_response', 'refused', 'missing'] as const)(
  'nothing is compared when the snapshot is %s',
  (state) => {
    expect(comparePayment({ state, facts: {} })).toBeUndefined();
  },
);

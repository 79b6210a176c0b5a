import { describe, expect, test } from 'vitest';
import type { ProviderSnapshot } from '#reconciliation/index.ts';
import { compareSides } from './compare-sides.ts';

type About = Parameters<typeof compareSides>[0];

const payment: About['payment'] = {
  id: 'p',
  operationId: 'o',
  reference: 'ORDER-1',
  amount: { amountMinor: 1_200, currency: 'eur' },
  refunded: { amountMinor: 0, currency: 'eur' },
  card: 'pm_card_visa',
  receiptTo: null,
  status: 'succeeded',
  declineCode: null,
  generation: 1,
  intentId: 'pi_1',
  chargeId: 'ch_1',
  createdAt: '2026-11-16T09:00:00.000Z',
  completedAt: null,
};
const refund: NonNullable<About['refund']> = {
  id: 'r',
  amount: { amountMinor: 500, currency: 'eur' },
  status: 'succeeded',
  providerId: 're_1',
};
const about = (over: Partial<About['payment']> = {}, refunded?: Partial<typeof refund>): About => ({
  payment: { ...payment, ...over },
  refund: refunded ? { ...refund, ...refunded } : null,
  ...{ ledger: [], refunds: [], exceptions: [] },
});

const paid: ProviderSnapshot = {
  says: 'succeeded',
  facts: {
    ...{ id: 'pi_1', chargeId: 'ch_1', amountMinor: 1_200, currency: 'eur', reference: 'ORDER-1' },
    createdAt: '2026-11-16T09:00:01.000Z',
  },
};
const paidBack: ProviderSnapshot = {
  says: 'refund_succeeded',
  facts: { id: 're_1', amountMinor: 500, currency: 'eur' },
};
const differing = (sides: ReturnType<typeof compareSides>) =>
  sides?.filter(({ differs }) => differs).map(({ name }) => name);

describe('a payment beside the provider’s intent', () => {
  test('that agree differ in nothing; when each was created is no difference', () => {
    const sides = compareSides(about(), paid);
    expect(differing(sides)).toEqual([]);
    expect(sides?.map(({ name }) => name)).toEqual([
      ...['State', 'Amount', 'Currency', 'Reference', 'Payment intent', 'Charge', 'Created'],
    ]);
  });

  test.each<[string[], Partial<About['payment']>, Partial<ProviderSnapshot>, ProviderSnapshot['facts']]>([
    [['State'], { status: 'pending' }, {}, {}],
    [['State'], { status: 'released' }, {}, {}],
    [['Amount'], {}, {}, { amountMinor: 1_201 }],
    [['Amount', 'Currency'], {}, {}, { currency: 'usd' }],
    [['Reference'], {}, {}, { reference: 'ORDER-2' }],
    [['Payment intent'], { intentId: null }, {}, {}],
    [['Charge'], { chargeId: null }, {}, {}],
    [['Decline code'], {}, {}, { declineCode: 'insufficient_funds' }],
    // A charge that is not through is on their side only: a stage, no difference.
    [[], { status: 'pending', chargeId: null }, { says: 'processing' }, {}],
  ])('differs in %s and nothing else', (names, ours, says, facts) => {
    const snapshot = { ...paid, ...says, facts: { ...paid.facts, ...facts } };
    expect(differing(compareSides(about(ours), snapshot))).toEqual(names);
  });
});

describe('a refund beside the provider’s', () => {
  test('shows amount and id of both sides', () => {
    expect(compareSides(about({}, {}), paidBack)).toEqual([
      { name: 'State', kind: 'text', ours: 'refund_succeeded', theirs: 'refund_succeeded', differs: false },
      { name: 'Amount', kind: 'text', ours: '€5.00', theirs: '€5.00', differs: false },
      { name: 'Refund at the provider', kind: 'code', ours: 're_1', theirs: 're_1', differs: false },
    ]);
  });

  test.each<[string[], Partial<typeof refund>, Partial<ProviderSnapshot>, ProviderSnapshot['facts']]>([
    [['State'], { status: 'pending' }, {}, {}],
    [['State'], {}, { says: 'refund_failed' }, {}],
    [['Amount'], {}, {}, { amountMinor: 499 }],
    [['Amount'], {}, {}, { currency: 'usd' }],
    [['Refund at the provider'], { providerId: 're_2' }, {}, {}],
    [['State', 'Refund at the provider'], { status: 'pending', providerId: null }, {}, {}],
  ])('differs in %s and nothing else', (names, ours, says, facts) => {
    const snapshot = { ...paidBack, ...says, facts: { ...paidBack.facts, ...facts } };
    expect(differing(compareSides(about({}, ours), snapshot))).toEqual(names);
  });

  test('that was released is called not paid back, and never not charged', () => {
    const failed: ProviderSnapshot = { ...paidBack, says: 'refund_failed' };
    const sides = compareSides(about({}, { status: 'released' }), failed);
    expect(sides?.[0]).toMatchObject({ ours: 'refund_released', differs: false });
  });

  test('of which the provider lists none has nothing to lay beside ours but the state', () => {
    const none: ProviderSnapshot = { says: 'no_refund', facts: {} };
    const sides = compareSides(about({}, { status: 'pending', providerId: null }), none);
    expect(sides?.map(({ name }) => name)).toEqual(['State']);
    expect(differing(sides)).toEqual(['State']);
  });
});

test.each(['silent', 'refused', 'missing'] as const)(
  'where the provider is %s there is nothing to compare, and no difference',
  (says) => {
    expect(compareSides(about(), { says, facts: {} })).toBeUndefined();
  },
);

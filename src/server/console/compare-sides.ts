import { formatMoney, isCurrency } from '#payments/money.ts';
import type { Sighting } from '#reconciliation/index.ts';
import type { operationMoney } from './operation-money.ts';

/** One fact as we have it and as the provider has it. */
export interface Side {
  readonly name: string;
  readonly kind: 'text' | 'code' | 'time';
  readonly ours: string | null;
  readonly theirs: string | null;
  readonly differs: boolean;
}

type About = NonNullable<Awaited<ReturnType<typeof operationMoney>>>;

/** What each of our states should look like on the other side. */
const agreeing: Record<string, readonly Sighting['says'][]> = {
  pending: ['created', 'requires_action', 'processing', 'refund_pending'],
  succeeded: ['succeeded', 'refund_succeeded'],
  declined: ['declined'],
  released: ['canceled', 'nothing_recorded', 'refund_failed', 'no_refund'],
};

/** Undefined where the provider did not answer: then there is nothing to compare, and no difference to claim. */
export function compareSides(about: About, sighting: Sighting): readonly Side[] | undefined {
  if (['silent', 'refused', 'missing'].includes(sighting.says)) return undefined;
  const { facts } = sighting;
  const { payment, refund } = about;
  const state: Side = {
    name: 'State',
    kind: 'text',
    ours: refund?.status ?? payment.status,
    theirs: sighting.says,
    differs: !agreeing[refund?.status ?? payment.status]?.includes(sighting.says),
  };
  if (refund) {
    return [
      state,
      { name: 'Amount', kind: 'text', ours: formatMoney(refund.amount), theirs: null, differs: false },
      { name: 'Refund at the provider', kind: 'code', ours: null, theirs: facts.id ?? null, differs: false },
    ];
  }
  if (sighting.says === 'nothing_recorded') return [state];
  const theirAmount =
    facts.amountMinor !== undefined && facts.currency && isCurrency(facts.currency)
      ? formatMoney({ amountMinor: facts.amountMinor, currency: facts.currency })
      : null;
  const side = (name: string, kind: Side['kind'], ours: string | null, theirs: string | null): Side => ({
    ...{ name, kind, ours, theirs },
    differs: ours !== theirs,
  });
  const created = { ...side('Created', 'time', payment.createdAt, facts.createdAt ?? null), differs: false };
  // A charge that failed, or is not through, is on their side only: no difference, a stage.
  const charge = side('Charge', 'code', payment.chargeId, facts.chargeId ?? null);
  return [
    state,
    side('Amount', 'text', formatMoney(payment.amount), theirAmount),
    side('Currency', 'text', payment.amount.currency.toUpperCase(), facts.currency?.toUpperCase() ?? null),
    side('Reference', 'code', payment.reference, facts.reference ?? null),
    side('Payment intent', 'code', payment.intentId, facts.id ?? null),
    { ...charge, differs: charge.differs && sighting.says === 'succeeded' },
    side('Decline code', 'code', payment.declineCode, facts.declineCode ?? null),
    created,
  ].filter(({ ours, theirs }) => ours !== null || theirs !== null);
}

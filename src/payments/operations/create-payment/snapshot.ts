import {
  type AdmissibilityTable,
  cancelFirst,
  commonRows,
  override,
  proven,
  refused,
} from '#payments/admissibility.ts';
import { contradicts, formatMoney } from '#payments/money.ts';
import type { Payment } from '#payments/payment.ts';
import type { ProviderResult } from '#payments/provider.ts';
import { type ProviderSnapshot, snapshotWithoutEvidence } from '#payments/provider-snapshot.ts';
import { amountIn, factOf } from '../compare-sides.ts';
import type { FactOfBothSides, KindOf, OurSide } from '../operation-kind.ts';

type Name = 'payment.create';

export function snapshotOfIntent(payment: Payment, result: ProviderResult): ProviderSnapshot<Name> {
  if (result.kind !== 'responded') return snapshotWithoutEvidence(result);
  const { intent } = result;
  const state = intent.state === 'succeeded' && contradicts(payment, intent) ? 'contradictory' : intent.state;
  return {
    state,
    facts: {
      id: intent.id,
      amountMinor: intent.amountMinor,
      currency: intent.currency,
      ...(intent.chargeId && { chargeId: intent.chargeId }),
      ...(intent.reference && { reference: intent.reference }),
      ...(intent.declineCode && { declineCode: intent.declineCode }),
      ...(intent.createdAt && { createdAt: intent.createdAt.toISOString() }),
    },
  };
}

export const paymentAdmissibility: AdmissibilityTable<Name> = {
  succeeded: [proven, refused('provider_says_otherwise')],
  declined: [refused('provider_says_otherwise'), cancelFirst],
  canceled: [refused('provider_says_otherwise'), proven],
  created: [refused('never_confirmed'), cancelFirst],
  nothing_recorded: [refused('never_confirmed'), proven],
  requires_action: [refused('not_charged_yet'), cancelFirst],
  processing: [override, refused('cannot_be_canceled')],
  other: [override, cancelFirst],
  contradictory: [override, refused('money_moved')],
  ...commonRows,
};

export const agreeingStates: KindOf<Name>['agreeingStates'] = {
  pending: ['created', 'requires_action', 'processing'],
  succeeded: ['succeeded'],
  declined: ['canceled', 'declined'],
  released: ['canceled', 'nothing_recorded'],
};

export function comparePayment({ own, payment }: OurSide, snapshot: ProviderSnapshot): FactOfBothSides[] {
  if (snapshot.state === 'nothing_recorded') return [];
  const { facts } = snapshot;
  // A charge that failed or is not final yet is recorded by the provider only, and that is no difference.
  const charge = factOf('Charge', 'code', payment.chargeId, facts.chargeId);
  return [
    factOf('Amount', 'text', formatMoney(own.amount), amountIn(facts)),
    factOf('Currency', 'text', own.amount.currency.toUpperCase(), facts.currency?.toUpperCase()),
    factOf('Reference', 'code', payment.reference, facts.reference),
    factOf('Payment intent', 'code', own.providerId, facts.id),
    { ...charge, differs: charge.differs && snapshot.state === 'succeeded' },
    factOf('Decline code', 'code', payment.declineCode, facts.declineCode),
    { ...factOf('Created', 'time', payment.createdAt, facts.createdAt), differs: false },
  ];
}

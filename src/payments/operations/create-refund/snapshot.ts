import { type AdmissibilityTable, commonRows, override, proven, refused } from '#payments/admissibility.ts';
import { contradicts, formatMoney } from '#payments/money.ts';
import type { RefundResult } from '#payments/provider.ts';
import { type ProviderSnapshot, snapshotWithoutEvidence } from '#payments/provider-snapshot.ts';
import { amountIn, factOf } from '../compare-sides.ts';
import type { FactOfBothSides, KindOf, OurSide } from '../operation-kind.ts';
import { type Refund, requestedRefund } from './refund.ts';

type Name = 'refund.create';

export function snapshotOfRefund(refund: Refund, result: RefundResult | undefined): ProviderSnapshot<Name> {
  if (!result) return { state: 'no_refund', facts: {} };
  if (result.kind !== 'responded') return snapshotWithoutEvidence(result);
  const { state, id, amountMinor, currency, reference } = result.refund;
  const facts = { id, amountMinor, currency, ...(reference && { reference }) };
  const other = state === 'succeeded' && contradicts(requestedRefund(refund), facts);
  return { state: other ? 'refund_contradictory' : `refund_${state}`, facts };
}

export const refundAdmissibility: AdmissibilityTable<Name> = {
  refund_succeeded: [proven, refused('provider_says_otherwise')],
  refund_failed: [refused('provider_says_otherwise'), proven],
  refund_contradictory: [override, refused('money_moved')],
  refund_pending: [override, refused('cannot_be_canceled')],
  no_refund: [override, refused('absence_is_no_proof')],
  ...commonRows,
};

export const agreeingStates: KindOf<Name>['agreeingStates'] = {
  pending: ['refund_pending'],
  succeeded: ['refund_succeeded'],
  failed: ['refund_failed'],
  released: ['refund_failed', 'no_refund'],
};

export function compareRefund({ own }: OurSide, { state, facts }: ProviderSnapshot): FactOfBothSides[] {
  return [
    ...(state === 'no_refund' ? [] : [factOf('Amount', 'text', formatMoney(own.amount), amountIn(facts))]),
    factOf('Refund at the provider', 'code', own.providerId, facts.id),
  ];
}

import { formatMoney, isCurrency } from '#payments/money.ts';
import type { ProviderSnapshot } from '#reconciliation/index.ts';
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
const agreeing: Record<string, readonly ProviderSnapshot['says'][]> = {
  pending: ['created', 'requires_action', 'processing', 'refund_pending'],
  succeeded: ['succeeded', 'refund_succeeded'],
  declined: ['declined'],
  failed: ['refund_failed'],
  released: ['canceled', 'nothing_recorded', 'refund_failed', 'no_refund'],
};

/** What a payment calls charged, a refund calls paid back. */
const ofRefund: Record<string, string> = { succeeded: 'refund_succeeded', released: 'refund_released' };

/** Undefined where the provider did not answer: then there is nothing to compare, and no difference to claim. */
export function compareSides(about: About, snapshot: ProviderSnapshot): Side[] | undefined {
  if (['silent', 'refused', 'missing'].includes(snapshot.says)) return undefined;
  const { facts } = snapshot;
  const { payment, refund } = about;
  const state: Side = {
    name: 'State',
    kind: 'text',
    ours: refund ? (ofRefund[refund.status] ?? refund.status) : payment.status,
    theirs: snapshot.says,
    differs: !agreeing[refund?.status ?? payment.status]?.includes(snapshot.says),
  };
  const theirAmount =
    facts.amountMinor !== undefined && facts.currency && isCurrency(facts.currency)
      ? formatMoney({ amountMinor: facts.amountMinor, currency: facts.currency })
      : null;
  // Neither has anything to lay beside the other's.
  const nothing = ['nothing_recorded', 'no_refund'].includes(snapshot.says);
  if (refund) {
    return [
      state,
      ...(nothing ? [] : [side('Amount', 'text', formatMoney(refund.amount), theirAmount)]),
      side('Refund at the provider', 'code', refund.providerId, facts.id ?? null),
    ].filter(isAbout);
  }
  if (nothing) return [state];
  const created = { ...side('Created', 'time', payment.createdAt, facts.createdAt ?? null), differs: false };
  // A charge that failed, or is not through, is on their side only: no difference, a stage.
  const charge = side('Charge', 'code', payment.chargeId, facts.chargeId ?? null);
  return [
    state,
    side('Amount', 'text', formatMoney(payment.amount), theirAmount),
    side('Currency', 'text', payment.amount.currency.toUpperCase(), facts.currency?.toUpperCase() ?? null),
    side('Reference', 'code', payment.reference, facts.reference ?? null),
    side('Payment intent', 'code', payment.intentId, facts.id ?? null),
    { ...charge, differs: charge.differs && snapshot.says === 'succeeded' },
    side('Decline code', 'code', payment.declineCode, facts.declineCode ?? null),
    created,
  ].filter(isAbout);
}

function side(name: string, kind: Side['kind'], ours: string | null, theirs: string | null): Side {
  return { name, kind, ours, theirs, differs: ours !== theirs };
}

function isAbout({ ours, theirs }: Side): boolean {
  return ours !== null || theirs !== null;
}

import { formatMoney, type Money } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type Examined = NonNullable<RouterOutputs['operation']['examine']>['admissibilities'][number];
export type Assertion = Examined['assertion'];
export type Admissibility = Examined['admissibility'];

export const assertionCopy: Record<Assertion, string> = {
  charged: 'Charged',
  not_charged: 'Not charged',
  refunded: 'Paid back',
  not_refunded: 'Not paid back',
};

/** For proposals read from the database, whose assertion is text. */
export function assertionLabel(assertion: string): string {
  return assertion in assertionCopy ? assertionCopy[assertion as Assertion] : assertion;
}

/** The kind of operation that an assertion is about. */
export function kindOfAssertion(assertion: string): string {
  return assertion === 'refunded' || assertion === 'not_refunded' ? 'refund.create' : 'payment.create';
}

/** Whether the evidence admits an assertion. */
export function admissibilityCopy(admissibility: Admissibility): string {
  switch (admissibility.kind) {
    case 'proven':
      return 'The provider proves it.';
    case 'fence':
      return 'Can be proven by cancelling it at the provider.';
    case 'override':
      return 'The provider neither proves nor denies it.';
    case 'refused':
      return refusalCopy(admissibility.why);
  }
}

const refusals = new Map([
  ['provider_says_otherwise', 'The provider says the opposite, and its answer decides.'],
  ['never_confirmed', 'It was never confirmed at the provider: nothing can have been charged.'],
  ['not_charged_yet', 'The shopper’s bank has not agreed yet: nothing has been charged so far.'],
  [
    'cannot_be_canceled',
    'It could still happen, and cannot be cancelled now. If the key were released and this went through after all, the shopper would pay twice. Missing: an answer of the provider, or a cancellation there.',
  ],
  [
    'absence_is_no_proof',
    'That the provider lists no such refund does not prove that there was none. Missing: its answer about this one.',
  ],
  [
    'money_moved',
    'The provider did move money, only not what was asked for. Missing: a correction at the provider.',
  ],
  ['nothing_on_record', 'There is nothing on record that could have happened.'],
  ['not_of_this_kind', 'That cannot be said of this kind of operation.'],
]);

export function refusalCopy(why: string): string {
  return refusals.get(why) ?? why.replaceAll('_', ' ');
}

/** What an assertion does: to the ledger, and for the shopper. */
export function consequenceCopy(
  assertion: Assertion,
  admissibility: Admissibility,
  says: string,
  amount: Money,
): string {
  const money = formatMoney(amount);
  switch (assertion) {
    case 'charged':
      return `Books ${money} as paid and sends the receipt. The shopper cannot pay this order again.`;
    case 'refunded':
      return `Books ${money} as paid back and writes to the shopper.`;
    case 'not_refunded':
      return `Nothing is paid back. ${money} can be refunded again.`;
    case 'not_charged':
      if (says === 'declined')
        return 'Records the decline. Nothing is booked; the shopper may choose another card.';
      return admissibility.kind === 'fence'
        ? `Cancels it at the provider first, then releases the key; the shopper may pay again: ${money}. If the cancellation comes too late, it is booked as paid instead.`
        : `Releases the key; the shopper may pay again: ${money}.`;
  }
}

const snapshotStates = new Map([
  ['succeeded', 'Charged'],
  ['declined', 'Declined by the bank'],
  ['created', 'Prepared, never confirmed'],
  ['requires_action', 'Waits for the shopper’s bank'],
  ['processing', 'The bank is still working on it'],
  ['canceled', 'Cancelled: it can never charge'],
  ['other', 'In a state we do not know'],
  ['contradictory', 'Charged, but not what was asked for'],
  ['refund_succeeded', 'Paid back'],
  ['refund_pending', 'On its way back'],
  ['refund_contradictory', 'Paid back, but not what was asked for'],
  ['refund_failed', 'Could not be paid back'],
  ['no_refund', 'No such refund is listed'],
  ['silent', 'No answer'],
  ['refused', 'It answered that it cannot say'],
  ['nothing_recorded', 'Nothing under way'],
  ['missing', 'Nothing on record'],
  // Our own side.
  ['pending', 'Not known yet'],
  ['released', 'Released: nothing was charged'],
  ['refund_released', 'Released: nothing was paid back'],
  ['failed', 'Was paid back, and came back'],
]);

export function snapshotCopy(says: string): string {
  return snapshotStates.get(says) ?? says.replaceAll('_', ' ');
}

export const proposalCopy = {
  open: 'Waits for a second person',
  approved: 'Approved',
  rejected: 'Rejected',
  void: 'Void',
  withdrawn: 'Withdrawn',
} as const;

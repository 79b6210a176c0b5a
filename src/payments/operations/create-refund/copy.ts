// Read by the browser too: texts only.
import { formatMoney } from '#payments/money.ts';
import { refundStates } from '#payments/state-copy.ts';
import type { Consequence, OperationCopy } from '../operation-copy.ts';

export const createRefundCopy = {
  noun: 'Refund',
  mark: 'Refund',
  requested: 'Pay back',
  requestedBy: 'the shop’s request',
  titlePrefix: 'Refund of ',
  ownStateName: 'This refund',
  outcomes: { succeeded: 'Paid back', released: 'Not paid back' },
  chart: { series: 'Refunds', noun: 'refund', tone: 'quiet' },
  recoveryPoints: {
    claimed: 'Written down; nothing has left for the provider',
    refund_sent: 'About to pay it back',
  },
  providerCalls: {
    refund: 'Asked the provider to pay it back:',
    find_refund: 'Asked the provider for the refund:',
  },
  causes: {
    provider_succeeded: 'The provider has paid it back',
    provider_pending: 'The provider has not finished it',
    refund_missing: 'There is no refund on record for it',
    refund_exceeds_payment: 'It would have been more than is left of the payment',
    payment_not_refundable: 'Nothing of the payment is left to pay back, or it never succeeded',
    refund_not_found: 'The provider lists no such refund, which proves nothing',
  },
  ownStates: refundStates,
  providerStates: {
    refund_succeeded: 'Paid back',
    refund_pending: 'On its way back',
    refund_failed: 'Could not be paid back',
    /** It paid back, but not what we asked for. */
    refund_contradictory: 'Paid back, but not what was asked for',
    /** It lists no refund of ours. Absence is never proof. */
    no_refund: 'No such refund is listed',
  },
  assertions: {
    refunded: {
      label: 'Paid back',
      consequence: ({ amount }: Consequence) =>
        `Books ${formatMoney(amount)} as paid back and writes to the shopper.`,
    },
    not_refunded: {
      label: 'Not paid back',
      consequence: ({ amount }: Consequence) =>
        `Nothing is paid back. ${formatMoney(amount)} can be refunded again.`,
    },
  },
  refusals: {
    /** That it is not listed does not prove that it did not happen. */
    absence_is_no_proof:
      'That the provider lists no such refund does not prove that there was none. Missing: its answer about this one.',
  },
  reconciled: {
    completed: {
      provider_succeeded: {
        title: 'The refund was found: refund completed.',
        body: 'The provider has paid the money back. The shopper is told by e-mail.',
      },
    },
    released: {
      title: 'Not paid back: the key is released.',
      body: 'The provider could not pay the money back. The same amount can be refunded again.',
    },
  },
} as const satisfies OperationCopy;

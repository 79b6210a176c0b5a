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
  outcomes: {
    succeeded: 'Refunded',
    released: 'Not refunded',
    failed: 'Returned by the bank',
    paysBack: true,
  },
  chart: { series: 'Refunds', noun: 'refund', tone: 'quiet' },
  recoveryPoints: {
    claimed: 'Recorded; nothing sent to the provider yet',
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
    refund_exists_for_reference: 'Another refund of the payment has its reference',
    refund_amount_not_allowed: 'The provider does not pay back such an amount in this currency',
    payment_not_refundable: 'Nothing of the payment is left to pay back, or it never succeeded',
    refund_not_found: 'The provider lists no such refund, which proves nothing',
  },
  ownStates: refundStates,
  providerStates: {
    refund_succeeded: 'Paid back',
    refund_pending: 'On its way back',
    refund_failed: 'Could not be paid back',
    /** It paid back, but not what we asked for. */
    refund_contradictory: 'Paid back, but not as requested',
    /** It lists no refund of ours. Absence is never proof. */
    no_refund: 'No such refund is listed',
  },
  assertions: {
    refunded: {
      label: 'Paid back',
      consequence: ({ amount }: Consequence) =>
        `Books ${formatMoney(amount)} as paid back and e-mails the shopper, if they gave an address.`,
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
      'The provider lists no such refund, but that does not prove that there was none. Needed: its answer about this one.',
  },
  reconciled: {
    completed: {
      provider_succeeded: {
        title: 'The refund was found: refund completed.',
        body: 'The provider has paid the money back. The shopper gets an e-mail, if they gave an address.',
      },
    },
    released: {
      title: 'Not paid back: it can be refunded again.',
      body: 'The provider could not pay the money back.',
    },
  },
} as const satisfies OperationCopy;

// Read by the browser too: texts only.
import { formatMoney } from '#payments/money.ts';
import { paymentStates } from '#payments/state-copy.ts';
import type { Consequence, OperationCopy } from '../operation-copy.ts';

export const createPaymentCopy = {
  noun: 'Payment',
  mark: null,
  requested: 'Take a payment',
  requestedBy: 'the shopper’s request',
  titlePrefix: '',
  ownStateName: null,
  outcomes: { succeeded: 'Paid', released: 'Not charged' },
  chart: { series: 'Payments', noun: 'payment', tone: 'accent' },
  recoveryPoints: {
    claimed: 'Written down; nothing has left for the provider',
    intent_created: 'Prepared at the provider; no money moved',
    confirm_sent: 'About to charge',
  },
  providerCalls: {
    create: 'Asked the provider to prepare it:',
    confirm: 'Asked the provider to charge:',
    retrieve: 'Asked the provider what became of it:',
    cancel: 'Asked the provider to cancel it:',
  },
  causes: {
    provider_succeeded: 'The provider has charged',
    provider_declined: 'The bank declined',
    provider_canceled: 'The payment was cancelled at the provider',
    provider_processing: 'The bank is still processing it',
    provider_requires_action: 'Waits for the shopper to confirm with the bank',
    provider_other: 'The provider reports a state we do not know',
    payment_exists_for_reference: 'Another payment holds this reference',
    payment_missing: 'There is no payment on record for it',
    payment_canceled: 'Cancelled at the provider: it can never charge',
    no_intent_yet: 'Nothing has been prepared at the provider yet',
    not_confirmed: 'It has not been confirmed yet',
  },
  ownStates: paymentStates,
  providerStates: {
    succeeded: 'Charged',
    declined: 'Declined by the bank',
    created: 'Prepared, never confirmed',
    requires_action: 'Waits for the shopper’s bank',
    processing: 'The bank is still working on it',
    canceled: 'Cancelled: it can never charge',
    other: 'In a state we do not know',
    /** It charged, but not what we asked for. */
    contradictory: 'Charged, but not what was asked for',
    /** We have no id to ask about: nothing was ever confirmed. */
    nothing_recorded: 'Nothing under way',
  },
  assertions: {
    charged: {
      label: 'Charged',
      consequence: ({ amount }: Consequence) =>
        `Books ${formatMoney(amount)} as paid and sends the receipt. The shopper cannot pay this order again.`,
    },
    not_charged: { label: 'Not charged', consequence: ifNotCharged },
  },
  refusals: {
    /** No confirm was ever accepted: nothing can have been charged. */
    never_confirmed: 'It was never confirmed at the provider: nothing can have been charged.',
    /** The shopper's bank has not authenticated the charge yet. */
    not_charged_yet: 'The shopper’s bank has not agreed yet: nothing has been charged so far.',
  },
  reconciled: {
    completed: {
      provider_succeeded: {
        title: 'The charge was found: payment completed.',
        body: 'The provider had taken the money. The shopper now has a receipt.',
      },
      provider_declined: {
        title: 'The bank had declined: payment completed.',
        body: 'Nothing was charged. The shopper may choose another card.',
      },
    },
    released: {
      title: 'Not charged: the key is released.',
      body: 'It is cancelled at the provider and cannot charge any more. The shopper may pay again.',
    },
  },
} as const satisfies OperationCopy;

function ifNotCharged({ amount, says, cancels }: Consequence): string {
  if (says === 'declined')
    return 'Records the decline. Nothing is booked; the shopper may choose another card.';
  const money = formatMoney(amount);
  return cancels
    ? `Cancels it at the provider first, then releases the key; the shopper may pay again: ${money}. If the cancellation comes too late, it is booked as paid instead.`
    : `Releases the key; the shopper may pay again: ${money}.`;
}

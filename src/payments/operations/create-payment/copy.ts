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
    claimed: 'Recorded; nothing confirmed yet',
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
    payment_exists_for_reference: 'Another payment has this reference',
    payment_missing: 'There is no payment on record for it',
    payment_canceled: 'Cancelled at the provider: it can never charge',
    payment_method_unknown: 'The provider does not know the payment method; no money moved',
    amount_not_chargeable: 'The provider does not charge this amount; no money moved',
    no_intent_yet: 'Nothing has been prepared at the provider yet',
    not_confirmed: 'It has not been confirmed yet',
  },
  ownStates: paymentStates,
  providerStates: {
    succeeded: 'Charged',
    declined: 'Declined by the bank',
    created: 'Prepared, never confirmed',
    requires_action: 'Waits for the shopper’s bank',
    processing: 'The bank is still processing it',
    canceled: 'Cancelled: it can never charge',
    other: 'In a state we do not know',
    /** It charged, but not what we asked for. */
    contradictory: 'Charged, but not as requested',
    /** We have no id to ask about: nothing was ever confirmed. */
    nothing_recorded: 'Nothing under way',
  },
  assertions: {
    charged: {
      label: 'Charged',
      consequence: ({ amount }: Consequence) =>
        `Books ${formatMoney(amount)} as paid and sends the receipt, if the shopper gave an address. They cannot pay this order again.`,
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
        body: 'Nothing was charged. The shopper can choose another card.',
      },
    },
    released: {
      title: 'Not charged: the shopper can pay again.',
      body: 'It is cancelled at the provider and can no longer charge.',
    },
  },
} as const satisfies OperationCopy;

function ifNotCharged({ amount, providerState, cancels }: Consequence): string {
  if (providerState === 'declined')
    return 'Records the decline. Nothing is booked; the shopper can choose another card.';
  const money = formatMoney(amount);
  return cancels
    ? `Cancels it at the provider first; then the shopper can pay ${money} again. If it is too late to cancel, it is booked as paid instead.`
    : `Nothing is booked; the shopper can pay ${money} again.`;
}

import { FAULTS, type FaultName } from './faults.ts';

export interface Decline {
  code: string;
  decline_code: string;
  message: string;
}

export interface Card {
  id: string;
  label: string;
  kind: 'success' | 'decline' | 'authentication' | 'fault';
  description: string;
  brand: string;
  last4: string;
  decline?: Decline;
}

const SUCCESS: Card[] = [
  card('pm_card_visa', 'Visa •••• 4242', 'success', 'Is charged at once.', 'visa', '4242'),
  card('pm_card_mastercard', 'Mastercard •••• 4444', 'success', 'Is charged at once.', 'mastercard', '4444'),
  card('pm_card_amex', 'American Express •••• 8431', 'success', 'Is charged at once.', 'amex', '8431'),
];

const DECLINES: Array<[suffix: string, label: string, last4: string, decline: Decline]> = [
  [
    'chargeDeclined',
    'Declined',
    '0002',
    { code: 'card_declined', decline_code: 'generic_decline', message: 'Your card was declined.' },
  ],
  [
    'chargeDeclinedInsufficientFunds',
    'Insufficient funds',
    '9995',
    {
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
  ],
  [
    'chargeDeclinedExpiredCard',
    'Expired card',
    '0069',
    { code: 'expired_card', decline_code: 'expired_card', message: 'Your card has expired.' },
  ],
  [
    'chargeDeclinedIncorrectCvc',
    'Wrong security code',
    '0127',
    {
      code: 'incorrect_cvc',
      decline_code: 'incorrect_cvc',
      message: "Your card's security code is incorrect.",
    },
  ],
  [
    'chargeDeclinedProcessingError',
    'Processing error',
    '0119',
    {
      code: 'processing_error',
      decline_code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
  ],
];

const AUTHENTICATION: Card[] = [
  card(
    'pm_card_threeDSecure2Required',
    '3-D Secure',
    'authentication',
    'Asks the shopper to prove who they are on a page of the bank, then is charged.',
    'visa',
    '3220',
  ),
];

const FAULT_LABELS: Record<FaultName, [label: string, description: string]> = {
  pm_fault_charged_no_response: [
    'Charged, no answer',
    'The money moves, then the line goes silent for good.',
  ],
  pm_fault_not_charged_no_response: [
    'Not charged, no answer',
    'No money moves, and the line goes silent for good.',
  ],
  pm_fault_charged_reset: ['Charged, connection reset', 'The money moves, then the connection is torn down.'],
  pm_fault_charged_500: ['Charged, error 500', 'The money moves, and the answer is "internal error".'],
  pm_fault_not_charged_500: ['Not charged, error 500', 'No money moves, and the answer is "internal error".'],
  pm_fault_truncated_response: [
    'Charged, half an answer',
    'The money moves, and the answer breaks off in the middle.',
  ],
  pm_fault_slow: [
    'Charged, slow answer',
    'The money moves, and the answer comes after every caller has given up.',
  ],
  pm_fault_rate_limited: ['Rate limited', 'No money moves: the provider says "too many requests" once.'],
  pm_fault_processing: [
    'Succeeds later',
    'The bank takes its time: the payment succeeds a few seconds later.',
  ],
  pm_fault_webhook_first: [
    'Webhook before answer',
    'The notification arrives before the answer to the request.',
  ],
  pm_fault_webhook_twice: ['Webhooks twice', 'Every notification is delivered twice.'],
  pm_fault_webhook_never: ['No webhooks', 'The money moves, and no notification is ever sent.'],
  pm_fault_webhook_out_of_order: ['Webhooks out of order', '"Succeeded" is delivered before "created".'],
};

/** The cards that a checkout can offer, each once, the ordinary ones first. */
export const CARDS: readonly Card[] = [
  ...SUCCESS,
  ...DECLINES.map(([suffix, label, last4, decline]) => ({
    ...card(`pm_card_visa_${suffix}`, label, 'decline', `Is refused: ${decline.message}`, 'visa', last4),
    decline,
  })),
  ...AUTHENTICATION,
  ...(Object.keys(FAULTS) as FaultName[]).map((id) => card(id, ...labelsOf(id), 'visa', '4242')),
];

const BY_ID = new Map(CARDS.map((one) => [one.id, one]));

/** Stripe names some test cards with the brand and some without; the sandbox accepts both names for all of them. */
export function findCard(id: string): Card | undefined {
  const canonical =
    id === 'pm_card_authenticationRequired'
      ? 'pm_card_threeDSecure2Required'
      : id.replace(/^pm_card_(?=chargeDeclined)/, 'pm_card_visa_');
  return BY_ID.get(canonical);
}

function labelsOf(id: FaultName): [label: string, kind: 'fault', description: string] {
  const [label, description] = FAULT_LABELS[id];
  return [label, 'fault', description];
}

function card(
  id: string,
  label: string,
  kind: Card['kind'],
  description: string,
  brand: string,
  last4: string,
): Card {
  return { id, label, kind, description, brand, last4 };
}

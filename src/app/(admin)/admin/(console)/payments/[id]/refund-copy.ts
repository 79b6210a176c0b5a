import { writeAmount } from '#console/operations-list/operation-filter.ts';
import { isAmountAllowed, type Money } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import type { ResultNotice } from '../../operations/result-notice.ts';

type Requested = RouterOutputs['refunds']['create'];

/** For operators. The problems' own texts are for the merchant's programs, and speak of requests and keys. */
const refusals = new Map<string, string>([
  [
    'provider_rejected',
    'The page of the refund says why. It may have been refunded at the provider itself: check there before you try again.',
  ],
  ['provider_unavailable', 'The request never reached the provider. Try again in a few seconds.'],
  [
    'comparing_with_provider',
    'The database was replaced or restored. Try again when it has been compared with the provider.',
  ],
  ['payment_not_refundable', 'It is still pending, did not succeed, or nothing of it is left.'],
  ['refund_exceeds_payment', 'Refund at most what is left.'],
  ['refund_amount_not_allowed', 'Choose an amount that ends with a zero.'],
]);

/** Both amounts as they can be typed: without the currency's sign, and without a separator of thousands. */
export function amountAdvice({ amountMinor, currency }: Money): string {
  const smallest = [1, 10].find((one) => isAmountAllowed({ amountMinor: one, currency }));
  const [from, to] = [writeAmount(smallest, currency), writeAmount(amountMinor, currency)];
  return `Enter an amount from ${from} to ${to}, without a separator of thousands.`;
}

export function refundNotice(result: Requested): ResultNotice {
  switch (result.kind) {
    case 'refunded':
      return { tone: 'ok', title: 'Refunded.', body: 'The money is on its way to the customer’s card.' };
    case 'unknown':
      return {
        tone: 'unknown',
        title: 'The provider has not confirmed the refund.',
        body: 'It may have been made. It is being checked automatically, and is among the unknown operations until then. Do not refund it another way.',
      };
    case 'in_progress':
      return {
        tone: 'busy',
        title: 'This refund is being made.',
        body: 'It was already requested. This page shows the result when it is known.',
      };
    case 'refused':
      return {
        tone: 'warn',
        title: `${result.title}.`,
        body: `Nothing was refunded. ${refusals.get(result.code) ?? 'Reload the page before you try again.'}`,
      };
    case 'outdated':
      return {
        tone: 'warn',
        title: 'There is another refund of this payment: nothing was done.',
        body: 'It was made after you opened this page, which now shows it. Check what is left before you refund.',
      };
    case 'proposed':
      return {
        tone: 'plain',
        title: 'Proposed.',
        body: 'Nothing was refunded yet. Another person with the approver role has to approve it.',
      };
    case 'already_proposed':
      return {
        tone: 'plain',
        title: 'A refund of this payment already waits for approval.',
        body: 'It has to be approved, rejected or withdrawn first.',
      };
  }
}

/** Texts for the codes of the engine, the provider adapter and the reconciler. */
const copies = new Map<string, string>([
  ['provider_timeout', 'The provider did not answer in time'],
  ['provider_no_response', 'The connection broke before an answer came'],
  ['provider_unreachable', 'The provider could not be reached'],
  ['provider_rate_limited', 'The provider said: too many requests'],
  ['provider_unavailable', 'The provider could not be reached; no money moved'],
  ['provider_rejected', 'The provider refused the request; no money moved'],
  ['provider_succeeded', 'The provider has carried it out'],
  ['provider_declined', 'The bank declined'],
  ['provider_canceled', 'The payment was cancelled at the provider'],
  ['provider_processing', 'The bank is still processing it'],
  ['provider_requires_action', 'Waits for the shopper to confirm with the bank'],
  ['provider_other', 'The provider reports a state we do not know'],
  ['payment_exists_for_reference', 'Another payment holds this reference'],
  ['payment_missing', 'There is no payment on record for it'],
  ['contradictory', 'The provider moved other money than was asked for'],
  ['operator_override', 'Decided by people, without the provider’s word'],
  ['payment_canceled', 'Cancelled at the provider: it can never charge'],
  ['provider_pending', 'The provider has not finished it'],
  ['refund_missing', 'There is no refund on record for it'],
  ['refund_exceeds_payment', 'It would have been more than is left of the payment'],
  ['payment_not_refundable', 'Nothing of the payment is left to pay back, or it never succeeded'],
  ['refund_not_found', 'The provider lists no such refund, which proves nothing'],
  ['no_intent_yet', 'Nothing has been prepared at the provider yet'],
  ['not_confirmed', 'It has not been confirmed yet'],
  ['resource_missing', 'The provider knows of no such thing'],
  ['replay_window_over', 'The time for retries is over'],
  ['lease_expired', 'The process that worked on it went away'],
  ['unexpected_error', 'Something unexpected went wrong'],
  ['operation_failed', 'It failed before it had any effect'],
  ['claimed', 'Claimed'],
  ['retried', 'Retried with the same key'],
  ['phase', 'Went on'],
  ['lease_extended', 'Still alive'],
  ['reconciled', 'Reconciled with the provider'],
  ['returned', 'Answered'],
]);

/** Codes with another meaning for payments than for refunds. */
const byKind = new Map<string, ReadonlyMap<string, string>>([
  ['payment.create', new Map([['provider_succeeded', 'The provider has charged']])],
  ['refund.create', new Map([['provider_succeeded', 'The provider has paid it back']])],
]);

/** Where the kind of operation is not known, the text fits every kind. */
export function codeCopy(code: string, operation?: string | null): string {
  const status = /^provider_http_(\d+)$/.exec(code)?.[1];
  if (status) return `The provider answered with error ${status}`;
  return byKind.get(operation ?? '')?.get(code) ?? copies.get(code) ?? code.replaceAll('_', ' ');
}

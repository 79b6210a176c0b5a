import Stripe from 'stripe';
import type { CardDetails, Intent, ProviderRefund, ProviderResult } from '../provider.ts';

/**
 * The outcome table of the contract, as code:
 *
 * | what came back                                              | meaning      |
 * |-------------------------------------------------------------|--------------|
 * | 2xx                                                         | responded    |
 * | 402 card error, or a 4xx that carries the intent's state    | responded    |
 * | could not connect, DNS failure                              | not_executed |
 * | 429                                                         | not_executed |
 * | other 4xx                                                   | rejected     |
 * | time-out, reset, truncated body, 5xx, 409 key in use        | ambiguous    |
 */
export function resultOfError(error: unknown): ProviderResult {
  const intent = error instanceof Stripe.errors.StripeError ? error.payment_intent : undefined;
  const result = failureOf(error);
  // A decline, and "you cannot do that to this intent", both contain the intent's state, which is definitive.
  return result.kind === 'rejected' && intent ? { kind: 'responded', intent: intentOf(intent) } : result;
}

/** The same table without the intent's state: why a call has no definitive response. */
export function failureOf(error: unknown): Exclude<ProviderResult, { kind: 'responded' }> {
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'ambiguous', code: 'unexpected_error' };
  const status = error.statusCode;
  if (status === undefined) return resultWithoutStatus(error);
  if (status === 429) return { kind: 'not_executed', code: 'provider_rate_limited', ...retryAfterOf(error) };
  if (status === 409 || status >= 500) return { kind: 'ambiguous', code: `provider_http_${status}` };
  return { kind: 'rejected', code: error.code ?? error.type, ...(isOfCommand(error) && { ofCommand: true }) };
}

/**
 * Listed, because the SDK has other classes for refusals of the request: authentication (401), permission (403), a 400 that
 * means too many requests, and a key that was used for another command, which shows that there was an earlier one.
 */
function isOfCommand(error: Stripe.errors.StripeError): boolean {
  const { StripeInvalidRequestError, StripeCardError } = Stripe.errors;
  return error instanceof StripeInvalidRequestError || error instanceof StripeCardError;
}

/** In whole seconds. Any other form is ignored, and our own pauses hold. */
function retryAfterOf(error: Stripe.errors.StripeError): { retryAfterMs?: number } {
  const header = error.headers?.['retry-after'];
  return header && /^\d{1,9}$/.test(header) ? { retryAfterMs: Number(header) * 1000 } : {};
}

/** No connection was made; that includes a name that could not be resolved. */
const notConnected = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);
/** The failed system call. The same codes also come from reading a connection that has already carried the request. */
const connecting = new Set(['connect', 'getaddrinfo']);

function resultWithoutStatus({
  detail,
}: Stripe.errors.StripeError): Exclude<ProviderResult, { kind: 'responded' }> {
  if (hasNotConnected(detail)) return { kind: 'not_executed', code: 'provider_unreachable' };
  const { code } = nodeError(detail);
  return { kind: 'ambiguous', code: code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_no_response' };
}

/** Whether no byte of the request can have left. A name with several addresses fails by all of them at once. */
function hasNotConnected(detail: unknown): boolean {
  if (detail instanceof AggregateError)
    return detail.errors.length > 0 && detail.errors.every(hasNotConnected);
  const { code, syscall } = nodeError(detail);
  return notConnected.has(code) && connecting.has(syscall);
}

function nodeError(error: unknown): { code: string; syscall: string } {
  const { code, syscall } = (error ?? {}) as { code?: unknown; syscall?: unknown };
  return { code: String(code ?? ''), syscall: String(syscall ?? '') };
}

export function intentOf(intent: Stripe.PaymentIntent): Intent {
  const charge = intent.latest_charge;
  const card = typeof charge === 'string' ? undefined : cardOf(charge);
  const failure = intent.last_payment_error;
  return {
    id: intent.id,
    state: stateOf(intent),
    chargeId: typeof charge === 'string' ? charge : (charge?.id ?? undefined),
    ...(card && { card }),
    declineCode: failure ? (failure.decline_code ?? failure.code ?? 'declined') : undefined,
    actionUrl: intent.next_action?.redirect_to_url?.url ?? undefined,
    amountMinor: intent.amount,
    currency: intent.currency,
    reference: intent.metadata?.reference,
    createdAt: intent.created ? new Date(intent.created * 1000) : undefined,
  };
}

export function cardOf(charge: Stripe.Charge | null): CardDetails | undefined {
  const { brand, last4 } = charge?.payment_method_details?.card ?? {};
  return brand && last4 ? { brand, last4 } : undefined;
}

function stateOf(intent: Stripe.PaymentIntent): Intent['state'] {
  switch (intent.status) {
    case 'succeeded':
      return 'succeeded';
    case 'canceled':
      return 'canceled';
    case 'processing':
      return 'processing';
    case 'requires_action':
      return 'requires_action';
    case 'requires_confirmation':
      return 'created';
    case 'requires_payment_method':
      return intent.last_payment_error ? 'declined' : 'created';
    default:
      return 'other';
  }
}

export function refundOf(refund: Stripe.Refund): ProviderRefund {
  const over = refund.status === 'failed' || refund.status === 'canceled';
  return {
    id: refund.id,
    state: refund.status === 'succeeded' ? 'succeeded' : over ? 'failed' : 'pending',
    amountMinor: refund.amount,
    currency: refund.currency,
  };
}

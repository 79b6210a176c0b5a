import Stripe from 'stripe';
import {
  type CallersMistake,
  type CardDetails,
  type Intent,
  type ProviderRefund,
  type ProviderResult,
  refundedElsewhere,
} from '../provider.ts';
import { isUnsent } from './http-client.ts';
import {
  codeOf,
  intentShape,
  type ReadCharge,
  type ReadIntent,
  type ReadRefund,
  refundShape,
} from './shapes.ts';

/**
 * The outcome table of the contract, as code:
 *
 * | what came back                                              | meaning      |
 * |-------------------------------------------------------------|--------------|
 * | 2xx with the object that the call is about                  | responded    |
 * | 402 card error, or a 4xx that carries the intent's state    | responded    |
 * | no connection: no byte of the request has left              | not_executed |
 * | 429                                                         | not_executed |
 * | other 4xx, with a code of ours for a caller's mistake       | rejected     |
 * | time-out, reset, truncated body, 5xx, 409 key in use        | ambiguous    |
 * | 408, 424, 499: it failed behind the one who responded       | ambiguous    |
 * | 400 key that was sent with other parameters                 | ambiguous    |
 * | another object, or one that cannot be read                  | ambiguous    |
 */
export function resultOfError(error: unknown, isExpected: (intent: Intent) => boolean): ProviderResult {
  const intent = error instanceof Stripe.errors.StripeError ? error.payment_intent : undefined;
  const result = failureOf(error);
  // A decline, and "you cannot do that to this intent", both contain the intent's state, which is definitive.
  return result.kind === 'rejected' && intent ? resultOfIntent(intent, isExpected) : result;
}

export function resultOfIntent(found: unknown, isExpected: (intent: Intent) => boolean): ProviderResult {
  const intent = readIntent(found);
  return intent && isExpected(intent) ? { kind: 'responded', intent } : invalidResponse;
}

/** A response came and says nothing about what was asked. */
export const invalidResponse = { kind: 'ambiguous', code: 'provider_response_invalid' } as const;

/** A list that contradicts itself, so that nothing can be concluded from what it lacks. */
export class InvalidList extends Error {
  override readonly name = 'InvalidList';
}

/** A proxy stopped waiting (408, 499), the key is in use (409), or a bank or network behind the provider failed (424). */
const saysNothing: ReadonlySet<number> = new Set([408, 409, 424, 499]);

/** The same table without the intent's state: why a call has no definitive response. */
export function failureOf(error: unknown): Exclude<ProviderResult, { kind: 'responded' }> {
  if (error instanceof InvalidList) return invalidResponse;
  if (!(error instanceof Stripe.errors.StripeError)) return { kind: 'ambiguous', code: 'unexpected_error' };
  const status = error.statusCode;
  if (status === undefined) return resultWithoutStatus(error);
  if (status === 429) return { kind: 'not_executed', code: 'provider_rate_limited', ...retryAfterOf(error) };
  if (saysNothing.has(status) || status >= 500) return { kind: 'ambiguous', code: `provider_http_${status}` };
  // The key has been sent before, by another version of this program or with other settings, and that request may have been
  // executed. To call this one refused would be to say that nothing happened.
  if (error instanceof Stripe.errors.StripeIdempotencyError)
    return { kind: 'ambiguous', code: 'provider_key_reused' };
  return { kind: 'rejected', code: callersMistakeOf(error) ?? codeOf(error.code) ?? error.type };
}

/** Of a request for a refund. Stripe says that too little is left by a code if nothing is, and otherwise by the parameter alone. */
export function refundFailureOf(error: unknown): Exclude<ProviderResult, { kind: 'responded' }> {
  const failure = failureOf(error);
  if (failure.kind !== 'rejected' || !(error instanceof Stripe.errors.StripeInvalidRequestError)) {
    return failure;
  }
  const { code, param } = error;
  const tooMuch = code === 'charge_already_refunded' || (!code && param === 'amount');
  return tooMuch ? { ...failure, code: refundedElsewhere } : failure;
}

/** What the caller of our API can correct. Everything else that is rejected is a bug or a wrong setting of ours. */
function callersMistakeOf({ code, param }: Stripe.errors.StripeError): CallersMistake | undefined {
  if (code === 'resource_missing' && param === 'payment_method') return 'payment_method_unknown';
  if (code === 'amount_too_small' || code === 'amount_too_large') return 'amount_not_chargeable';
  return undefined;
}

/** In whole seconds. Any other form is ignored, and our own pauses hold. */
function retryAfterOf(error: Stripe.errors.StripeError): { retryAfterMs?: number } {
  const header = error.headers?.['retry-after'];
  return header && /^\d{1,9}$/.test(header) ? { retryAfterMs: Number(header) * 1000 } : {};
}

function resultWithoutStatus({
  detail,
}: Stripe.errors.StripeError): Exclude<ProviderResult, { kind: 'responded' }> {
  if (isUnsent(detail)) return { kind: 'not_executed', code: 'provider_unreachable' };
  const { code } = (detail ?? {}) as { code?: unknown };
  return { kind: 'ambiguous', code: code === 'ETIMEDOUT' ? 'provider_timeout' : 'provider_no_response' };
}

export function readIntent(found: unknown): Intent | undefined {
  const read = intentShape.safeParse(found).data;
  return read && intentOf(read);
}

function intentOf(intent: ReadIntent): Intent {
  const charge = intent.latest_charge;
  const card = typeof charge === 'string' ? undefined : cardOf(charge);
  return {
    id: intent.id,
    tenantId: intent.metadata?.paidonce_tenant,
    operationId: intent.metadata?.operation,
    generation: generationOf(intent.metadata),
    state: stateOf(intent),
    chargeId: typeof charge === 'string' ? charge : (charge?.id ?? undefined),
    ...(card && { card }),
    declineCode: declineCodeOf(intent),
    actionUrl: webAddress(intent.next_action?.redirect_to_url?.url),
    amountMinor: intent.status === 'succeeded' ? intent.amount_received : intent.amount,
    currency: intent.currency,
    reference: intent.metadata?.reference,
    paymentMethod: intent.metadata?.payment_method,
    createdAt: timeOf(intent.created),
  };
}

/** Anything else than what we write there is not ours, and would not fit into our column. */
function generationOf(metadata: ReadIntent['metadata']): number {
  const text = metadata?.generation ?? '';
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 1;
}

/** No outcome depends on it, so that a time which is none is left out. */
export function timeOf(seconds: unknown): Date | undefined {
  const time = new Date(typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : Number.NaN);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

/** The shopper's browser opens it by itself, so a script is not taken for an address, although it comes from the provider. */
function webAddress(url: string | null | undefined): string | undefined {
  return url && /^https?:$/.test(URL.parse(url)?.protocol ?? '') ? url : undefined;
}

/** Stripe clears the intent's error when the intent is changed; a charge keeps why it failed. */
function declineCodeOf({ last_payment_error: error, latest_charge: charge }: ReadIntent) {
  if (error) return error.decline_code ?? error.code ?? 'declined';
  if (!charge || typeof charge === 'string' || charge.status !== 'failed') return undefined;
  return charge.outcome?.reason ?? charge.failure_code ?? 'declined';
}

export function cardOf(charge: ReadCharge | null | undefined): CardDetails | undefined {
  const { brand, last4 } = charge?.payment_method_details?.card ?? {};
  return brand && last4 ? { brand, last4 } : undefined;
}

/** Money that an intent has received although it says that it was not paid, or the other way round. Neither is evidence. */
function contradictsItself({
  status,
  amount_received: received,
  latest_charge: charge,
}: ReadIntent): boolean {
  const { status: charged, captured } = (typeof charge === 'object' && charge) || {};
  if (status === 'succeeded') return captured === false || (charged ?? 'succeeded') !== 'succeeded';
  return received !== 0 || charged === 'succeeded' || (status === 'canceled' && charged === 'pending');
}

function stateOf(intent: ReadIntent): Intent['state'] {
  if (contradictsItself(intent)) return 'other';
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

/** Of an object, or of its name: the provider sends either. */
export function idOf(named: string | { readonly id: string } | null | undefined): string | undefined {
  return typeof named === 'string' ? named : named?.id;
}

/** A refund, with what it is of. */
export function readRefund(
  found: unknown,
): { readonly refund: ProviderRefund; readonly intentId?: string } | undefined {
  const read = refundShape.safeParse(found).data;
  if (!read) return undefined;
  const intentId = idOf(read.payment_intent);
  return { refund: refundOf(read), ...(intentId && { intentId }) };
}

function refundOf(refund: ReadRefund): ProviderRefund {
  const over = refund.status === 'failed' || refund.status === 'canceled';
  return {
    id: refund.id,
    operationId: refund.metadata?.operation,
    state: refund.status === 'succeeded' ? 'succeeded' : over ? 'failed' : 'pending',
    amountMinor: refund.amount,
    currency: refund.currency,
    generation: generationOf(refund.metadata),
    reference: refund.metadata?.reference,
    createdAt: timeOf(refund.created),
  };
}

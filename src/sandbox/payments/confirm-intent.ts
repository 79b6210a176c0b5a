import {
  type ApiError,
  errorBody,
  internalError,
  invalidRequest,
  noSuch,
  rateLimited,
  unexpectedState,
} from '../http/api-error.ts';
import { wasFaultInjected } from '../http/idempotency.ts';
import { type ApiResponse, InjectedFault, ok, type Work } from '../http/response.ts';
import { type Card, type Decline, findCard } from './cards.ts';
import { decline, requireAuthentication, startProcessing, succeed } from './charge-intent.ts';
import { type Fault, faultOf } from './faults.ts';
import { CONFIRMABLE, type IntentRow, updateIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';

export interface ConfirmOptions {
  publicUrl: string;
  finishAfterMs: number;
}

export interface ConfirmParams {
  payment_method?: string | undefined;
  return_url?: string | undefined;
  receipt_email?: string | undefined;
  capture_method?: IntentRow['capture_method'] | undefined;
  error_on_requires_action?: boolean | undefined;
}

export async function confirmIntent(
  work: Work,
  intent: IntentRow,
  params: ConfirmParams,
  options: ConfirmOptions,
): Promise<ApiResponse> {
  if (!CONFIRMABLE.includes(intent.status)) {
    throw unexpectedState(cannotConfirm(intent.status), intentObject(intent));
  }
  const paymentMethod = params.payment_method ?? intent.payment_method;
  if (paymentMethod === null) throw unexpectedState(MISSING_PAYMENT_METHOD, intentObject(intent));
  const returnUrl = params.return_url ?? intent.return_url;
  if (returnUrl === null && mayRedirect(intent)) throw invalidRequest(MISSING_RETURN_URL);
  const card = requireCard(paymentMethod);
  const fault = faultOf(card.id);
  if (fault?.kind === 'before_charge' && !(await wasFaultInjected(work)))
    throw lostRequest(work, fault.response);

  const ready = updateIntent(work, intent, {
    payment_method: paymentMethod,
    return_url: returnUrl,
    receipt_email: params.receipt_email ?? intent.receipt_email,
    capture_method: params.capture_method ?? intent.capture_method,
  });
  if (card.kind === 'authentication' && params.error_on_requires_action) {
    return decline(work, ready, card, AUTHENTICATION_REQUIRED);
  }
  return chargeCard(work, ready, card, fault, options);
}

export function requireCard(paymentMethod: string): Card {
  const card = findCard(paymentMethod);
  if (!card) throw noSuch('PaymentMethod', paymentMethod, 'payment_method', 400);
  return card;
}

function chargeCard(
  work: Work,
  intent: IntentRow,
  card: Card,
  fault: Fault | undefined,
  options: ConfirmOptions,
): ApiResponse {
  if (card.decline) return decline(work, intent, card, card.decline);
  if (card.kind === 'authentication') return requireAuthentication(work, intent, options.publicUrl);
  if (fault?.kind === 'finishes_later') {
    return ok(intentObject(startProcessing(work, intent, options.finishAfterMs)));
  }
  const response = ok(intentObject(succeed(work, intent)));
  if (fault?.kind !== 'after_charge') return response;
  // The charge is committed; only the response says that the request failed.
  if (fault.serverError) {
    return { status: 500, body: errorBody(internalError().body, work), sendMode: 'plain' };
  }
  return { ...response, sendMode: fault.sendMode };
}

/** A 500 is an ordinary error and is stored, as at Stripe; for the others only the injection is recorded. */
function lostRequest(
  work: Work,
  response: Extract<Fault, { kind: 'before_charge' }>['response'],
): ApiError | InjectedFault {
  switch (response) {
    case 'server_error':
      return internalError();
    case 'rate_limited': {
      const { status, body } = rateLimited();
      return new InjectedFault({ status, body: errorBody(body, work), sendMode: 'plain' });
    }
    case 'no_response':
      return new InjectedFault({ status: 500, body: {}, sendMode: 'no_response' });
  }
}

function mayRedirect({ automatic_payment_methods }: IntentRow): boolean {
  return automatic_payment_methods?.allow_redirects === 'always';
}

const MISSING_RETURN_URL =
  "This PaymentIntent is configured to accept payment methods enabled in your Dashboard. Because some of these payment methods might redirect your customer off of your page, you must provide a `return_url`. If you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to `true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and Payment Intents.";

const AUTHENTICATION_REQUIRED: Decline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

const MISSING_PAYMENT_METHOD =
  "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.";

function cannotConfirm(status: IntentRow['status']): string {
  if (status === 'succeeded') {
    return 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.';
  }
  return `You cannot confirm this PaymentIntent because it has a status of ${status}. Only a PaymentIntent with one of the following statuses may be confirmed: ${CONFIRMABLE.join(', ')}.`;
}

import { type ApiError, internalError, noSuch, rateLimited, unexpectedState } from '../http/api-error.ts';
import { wasFaultInjected } from '../http/idempotency.ts';
import { type ApiResponse, InjectedFault, ok, type Work } from '../http/response.ts';
import { type Card, findCard } from './cards.ts';
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
}

/** The caller holds the intent's row lock. */
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
  const card = requireCard(paymentMethod);
  const fault = faultOf(card.id);
  if (fault?.kind === 'before_charge' && !(await wasFaultInjected(work))) throw lostRequest(fault.response);

  const ready = await updateIntent(work, intent.id, {
    payment_method: paymentMethod,
    return_url: params.return_url ?? intent.return_url,
    receipt_email: params.receipt_email ?? intent.receipt_email,
  });
  return chargeCard(work, ready, card, fault, options);
}

export function requireCard(paymentMethod: string): Card {
  const card = findCard(paymentMethod);
  if (!card) throw noSuch('PaymentMethod', paymentMethod, 'payment_method', 400);
  return card;
}

async function chargeCard(
  work: Work,
  intent: IntentRow,
  card: Card,
  fault: Fault | undefined,
  options: ConfirmOptions,
): Promise<ApiResponse> {
  if (card.decline) return decline(work, intent, card, card.decline);
  if (card.kind === 'authentication') return requireAuthentication(work, intent, options.publicUrl);
  if (fault?.kind === 'finishes_later') {
    return ok(intentObject(await startProcessing(work, intent, options.finishAfterMs)));
  }
  const response = ok(intentObject(await succeed(work, intent)));
  if (fault?.kind !== 'after_charge') return response;
  // The charge is committed; only the response says that the request failed.
  if (fault.serverError) return { status: 500, body: { error: internalError().body }, sendMode: 'plain' };
  return { ...response, sendMode: fault.sendMode };
}

/** A 500 is an ordinary error and is stored, as at Stripe; for the others only the injection is recorded. */
function lostRequest(
  response: Extract<Fault, { kind: 'before_charge' }>['response'],
): ApiError | InjectedFault {
  switch (response) {
    case 'server_error':
      return internalError();
    case 'rate_limited': {
      const { status, body } = rateLimited();
      return new InjectedFault({ status, body: { error: body }, sendMode: 'plain' });
    }
    case 'no_response':
      return new InjectedFault({ status: 500, body: {}, sendMode: 'no_response' });
  }
}

const MISSING_PAYMENT_METHOD =
  "You cannot confirm this PaymentIntent because it's missing a payment method. You can either update the PaymentIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken.";

function cannotConfirm(status: IntentRow['status']): string {
  if (status === 'succeeded') {
    return 'You cannot confirm this PaymentIntent because it has already succeeded after being previously confirmed.';
  }
  return `You cannot confirm this PaymentIntent because it has a status of ${status}. Only a PaymentIntent with one of the following statuses may be confirmed: ${CONFIRMABLE.join(', ')}.`;
}

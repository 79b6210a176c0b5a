import { recordEvent } from '../events/record-event.ts';
import { errorBody, withDocUrl } from '../http/api-error.ts';
import { type ApiResponse, ok, seconds, type Work } from '../http/response.ts';
import type { Card, Decline } from './cards.ts';
import { type ChargeRow, findCharge, insertCharge, requirePaymentMethod, updateCharge } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { type IntentRow, updateIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';
import { paymentMethodObject } from './payment-method-object.ts';

/*
 * The possible results of a confirmation. Intent, charge and events change together and are committed together.
 */

export function succeed(work: Work, intent: IntentRow, authenticated = false): IntentRow {
  const charge = insertCharge(work, intent, { status: 'succeeded', authenticated });
  const paid = updateIntent(work, intent, {
    status: 'succeeded',
    latest_charge: charge.id,
    next_action: null,
    last_payment_error: null,
  });
  return recordSuccess(work, paid, charge);
}

export function startProcessing(work: Work, intent: IntentRow, finishAfterMs: number): IntentRow {
  const charge = insertCharge(work, intent, { status: 'pending' });
  const processing = updateIntent(work, intent, {
    status: 'processing',
    latest_charge: charge.id,
    last_payment_error: null,
    finishes_at_ms: work.nowMs + finishAfterMs,
  });
  recordEvent(work, 'payment_intent.processing', intentObject(processing), processing);
  return processing;
}

export async function finishProcessing(work: Work, intent: IntentRow): Promise<IntentRow> {
  if (intent.latest_charge === null) throw new Error(`${intent.id} is processing without a charge`);
  const pending = await findCharge(work, intent.latest_charge);
  const charge = updateCharge(work, pending, { status: 'succeeded' });
  const paid = updateIntent(work, intent, { status: 'succeeded', finishes_at_ms: null });
  return recordSuccess(work, paid, charge);
}

/** An asynchronous capture is booked a moment after the success; Stripe then sends the charge again. */
function recordSuccess(work: Work, paid: IntentRow, charge: ChargeRow): IntentRow {
  const bookedLater = charge.capture_method === 'automatic_async';
  recordEvent(work, 'charge.succeeded', chargeObject(charge, { booked: !bookedLater }), paid);
  recordEvent(work, 'payment_intent.succeeded', intentObject(paid), paid);
  if (bookedLater) {
    recordEvent(work, 'charge.updated', chargeObject(charge), paid, { balance_transaction: null });
  }
  return paid;
}

/** A decline is a result, not an ApiError: the failed charge and the error on the intent are committed with the 402. */
export function decline(work: Work, intent: IntentRow, card: Card, reason: Decline): ApiResponse {
  const charge = insertCharge(work, intent, { status: 'failed', failure: reason });
  const error = withDocUrl({
    charge: charge.id,
    ...reason,
    payment_method: paymentMethodObject(card, requirePaymentMethod(intent), seconds(work)),
    type: 'card_error',
  });
  const failed = clearPaymentMethod(work, intent, error, charge.id);
  recordEvent(work, 'charge.failed', chargeObject(charge), failed);
  recordEvent(work, 'payment_intent.payment_failed', intentObject(failed), failed);
  return {
    status: 402,
    body: errorBody({ ...error, payment_intent: intentObject(failed) }, work),
    sendMode: 'plain',
  };
}

export function requireAuthentication(work: Work, intent: IntentRow, publicUrl: string): ApiResponse {
  const url = `${publicUrl}/_sandbox/3ds/${intent.id}?client_secret=${intent.client_secret}`;
  const waiting = updateIntent(work, intent, {
    status: 'requires_action',
    next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: intent.return_url, url } },
    last_payment_error: null,
  });
  recordEvent(work, 'payment_intent.requires_action', intentObject(waiting), waiting);
  return ok(intentObject(waiting));
}

export function failAuthentication(work: Work, intent: IntentRow, card: Card): IntentRow {
  const error = withDocUrl({
    code: 'payment_intent_authentication_failure',
    message:
      'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.',
    payment_method: paymentMethodObject(card, requirePaymentMethod(intent), seconds(work)),
    type: 'invalid_request_error',
  });
  const failed = clearPaymentMethod(work, intent, error, null);
  recordEvent(work, 'payment_intent.payment_failed', intentObject(failed), failed);
  return failed;
}

// Stripe removes the failed card from the intent, so that the next confirm has to name one.
function clearPaymentMethod(work: Work, intent: IntentRow, error: object, charge: string | null) {
  return updateIntent(work, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    last_payment_error: error,
    latest_charge: charge,
  });
}

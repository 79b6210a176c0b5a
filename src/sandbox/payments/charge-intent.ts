import { recordEvent } from '../events/record-event.ts';
import { withDocUrl } from '../http/api-error.ts';
import { type ApiResponse, ok, seconds, type Work } from '../http/response.ts';
import type { Card, Decline } from './cards.ts';
import { type ChargeRow, completePendingCharge, insertCharge, requirePaymentMethod } from './charge.ts';
import { chargeObject } from './charge-object.ts';
import { type IntentRow, updateIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';
import { paymentMethodObject } from './payment-method-object.ts';

/*
 * The possible results of a confirmation. The caller holds the intent's row lock; intent, charge and events change
 * together and are committed together.
 */

export async function succeed(work: Work, intent: IntentRow, authenticated = false): Promise<IntentRow> {
  const charge = await insertCharge(work, intent, { status: 'succeeded', authenticated });
  const paid = await updateIntent(work, intent.id, {
    status: 'succeeded',
    latest_charge: charge.id,
    next_action: null,
    last_payment_error: null,
  });
  return recordSuccess(work, paid, charge);
}

export async function startProcessing(
  work: Work,
  intent: IntentRow,
  finishAfterMs: number,
): Promise<IntentRow> {
  const charge = await insertCharge(work, intent, { status: 'pending' });
  const processing = await updateIntent(work, intent.id, {
    status: 'processing',
    latest_charge: charge.id,
    last_payment_error: null,
    finishes_at_ms: work.nowMs + finishAfterMs,
  });
  await recordEvent(work, 'payment_intent.processing', intentObject(processing), processing);
  return processing;
}

export async function finishProcessing(work: Work, intent: IntentRow): Promise<IntentRow> {
  if (intent.latest_charge === null) throw new Error(`${intent.id} is processing without a charge`);
  const charge = await completePendingCharge(work, intent.latest_charge);
  const paid = await updateIntent(work, intent.id, { status: 'succeeded', finishes_at_ms: null });
  return recordSuccess(work, paid, charge);
}

async function recordSuccess(work: Work, paid: IntentRow, charge: ChargeRow): Promise<IntentRow> {
  await recordEvent(work, 'charge.succeeded', chargeObject(charge), paid);
  await recordEvent(work, 'payment_intent.succeeded', intentObject(paid), paid);
  return paid;
}

/** A decline is a result, not an ApiError: the failed charge and the error on the intent are committed with the 402. */
export async function decline(
  work: Work,
  intent: IntentRow,
  card: Card,
  reason: Decline,
): Promise<ApiResponse> {
  const charge = await insertCharge(work, intent, { status: 'failed', failure: reason });
  const error = withDocUrl({
    charge: charge.id,
    ...reason,
    payment_method: paymentMethodObject(card, requirePaymentMethod(intent), seconds(work)),
    type: 'card_error',
  });
  const failed = await clearPaymentMethod(work, intent, error, charge.id);
  await recordEvent(work, 'charge.failed', chargeObject(charge), failed);
  await recordEvent(work, 'payment_intent.payment_failed', intentObject(failed), failed);
  return {
    status: 402,
    body: { error: { ...error, payment_intent: intentObject(failed) } },
    sendMode: 'plain',
  };
}

export async function requireAuthentication(
  work: Work,
  intent: IntentRow,
  publicUrl: string,
): Promise<ApiResponse> {
  const url = `${publicUrl}/_sandbox/3ds/${intent.id}?client_secret=${intent.client_secret}`;
  const waiting = await updateIntent(work, intent.id, {
    status: 'requires_action',
    next_action: { type: 'redirect_to_url', redirect_to_url: { return_url: intent.return_url, url } },
    last_payment_error: null,
  });
  await recordEvent(work, 'payment_intent.requires_action', intentObject(waiting), waiting);
  return ok(intentObject(waiting));
}

export async function failAuthentication(work: Work, intent: IntentRow, card: Card): Promise<IntentRow> {
  const error = withDocUrl({
    code: 'payment_intent_authentication_failure',
    message:
      'The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new PaymentMethod to attempt to fulfill this PaymentIntent again.',
    payment_method: paymentMethodObject(card, requirePaymentMethod(intent), seconds(work)),
    type: 'invalid_request_error',
  });
  const failed = await clearPaymentMethod(work, intent, error, null);
  await recordEvent(work, 'payment_intent.payment_failed', intentObject(failed), failed);
  return failed;
}

// Stripe removes the failed card from the intent, so that the next confirm has to name one.
function clearPaymentMethod(work: Work, intent: IntentRow, error: object, charge: string | null) {
  return updateIntent(work, intent.id, {
    status: 'requires_payment_method',
    payment_method: null,
    next_action: null,
    last_payment_error: error,
    latest_charge: charge,
  });
}

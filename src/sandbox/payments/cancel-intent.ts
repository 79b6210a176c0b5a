import { recordEvent } from '../events/record-event.ts';
import { unexpectedState } from '../http/api-error.ts';
import { type ApiResponse, ok, seconds, type Work } from '../http/response.ts';
import { CANCELABLE, lockIntent, updateIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';

/** After this commits, no confirm can charge the intent, not even one that is already waiting for its row lock. */
export async function cancelIntent(work: Work, id: string, reason: string | undefined): Promise<ApiResponse> {
  const intent = await lockIntent(work, id);
  if (!CANCELABLE.includes(intent.status)) {
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: ${CANCELABLE.join(', ')}.`,
      intentObject(intent),
    );
  }
  const canceled = await updateIntent(work, id, {
    status: 'canceled',
    canceled_at: seconds(work),
    cancellation_reason: reason ?? null,
    next_action: null,
  });
  await recordEvent(work, 'payment_intent.canceled', intentObject(canceled), canceled);
  return ok(intentObject(canceled));
}

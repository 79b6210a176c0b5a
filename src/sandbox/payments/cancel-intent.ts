import { recordEvent } from '../events/record-event.ts';
import { unexpectedState } from '../http/api-error.ts';
import { type ApiResponse, ok, seconds, type Work } from '../http/response.ts';
import { CANCELABLE, findIntent, updateIntent } from './intent.ts';
import { intentObject } from './intent-object.ts';

/** After this commits, no confirm can charge the intent, not even one that has already read it. */
export async function cancelIntent(work: Work, id: string, reason: string | undefined): Promise<ApiResponse> {
  const intent = await findIntent(work, id);
  if (!CANCELABLE.includes(intent.status)) {
    throw unexpectedState(
      `You cannot cancel this PaymentIntent because it has a status of ${intent.status}. Only a PaymentIntent with one of the following statuses may be canceled: ${CANCELABLE.join(', ')}.`,
      intentObject(intent),
    );
  }
  const canceled = updateIntent(work, intent, {
    status: 'canceled',
    canceled_at: seconds(work),
    cancellation_reason: reason ?? null,
    next_action: null,
  });
  recordEvent(work, 'payment_intent.canceled', intentObject(canceled), canceled);
  return ok(intentObject(canceled));
}

import { seconds, type Work } from '../http/response.ts';
import { faultOf } from '../payments/faults.ts';
import { newId } from '../store/ids.ts';
import { API_VERSION } from '../versions.ts';

export type EventType =
  | 'payment_intent.created'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'payment_intent.requires_action'
  | 'payment_intent.processing'
  | 'charge.succeeded'
  | 'charge.failed'
  | 'charge.updated'
  | 'charge.refunded'
  | 'charge.refund.updated'
  | 'refund.created'
  | 'refund.updated'
  | 'refund.failed';

// Long enough for a shopper to finish paying, so that "succeeded" is delivered before "created"; short enough that
// "created" still arrives within a test or a demonstration when the intent is never confirmed.
const HOLD_CREATED_MS = 60_000;

const DELIVERIES_PER_ENDPOINT = { once: 1, twice: 2, never: 0, reversed: 1 } as const;

/**
 * Adds an event to the changes; the commit writes it with its pending deliveries, so that an event is sent if and only if
 * the change was committed. The object is stored as it was at that moment, because Stripe sends that however late.
 */
export function recordEvent(
  work: Work,
  type: EventType,
  object: object,
  intent: { id: string; payment_method: string | null },
  previousAttributes: object | null = null,
): void {
  const fault = faultOf(intent.payment_method);
  const policy = fault?.kind === 'webhooks' ? fault.policy : 'once';
  const held = policy === 'reversed' && type === 'payment_intent.created';
  work.changes.events.push({
    id: newId('evt'),
    type,
    // Stripe renders events in the account's version, whichever version the request had.
    api_version: API_VERSION,
    payment_intent: intent.id,
    object,
    previous_attributes: previousAttributes,
    request: work.requestId,
    idempotency_key: work.idempotencyKey,
    created: seconds(work),
    held,
    due_ms: work.nowMs + (held ? HOLD_CREATED_MS : 0),
    created_ms: work.nowMs,
    copies: DELIVERIES_PER_ENDPOINT[policy],
  });
}

import { seconds, type Work } from '../http/response.ts';
import { faultOf } from '../payments/faults.ts';
import { newId } from '../store/ids.ts';

export type EventType =
  | 'payment_intent.created'
  | 'payment_intent.succeeded'
  | 'payment_intent.payment_failed'
  | 'payment_intent.canceled'
  | 'payment_intent.requires_action'
  | 'payment_intent.processing'
  | 'charge.succeeded'
  | 'charge.failed'
  | 'charge.refunded'
  | 'refund.created'
  | 'refund.failed';

// Long enough for a shopper to finish paying, so that "succeeded" is delivered before "created"; short enough that
// "created" still arrives within a test or a demonstration when the intent is never confirmed.
const HOLD_CREATED_MS = 60_000;

const DELIVERIES_PER_ENDPOINT = { once: 1, twice: 2, never: 0, reversed: 1 } as const;

/**
 * Writes an event and its pending deliveries in the transaction of the change, so that an event is sent if and only if
 * the change was committed. The object is stored as it was at that moment, because Stripe sends that however late.
 */
export async function recordEvent(
  work: Work,
  type: EventType,
  object: object,
  intent: { id: string; payment_method: string | null },
): Promise<void> {
  const id = newId('evt');
  work.events.push(id);
  const fault = faultOf(intent.payment_method);
  const policy = fault?.kind === 'webhooks' ? fault.policy : 'once';
  const held = policy === 'reversed' && type === 'payment_intent.created';
  await work.tx.query(
    `WITH event AS (
       INSERT INTO events (id, type, api_version, payment_intent, object, request, idempotency_key, created)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id, type)
     INSERT INTO webhook_deliveries (event, endpoint, held, due_ms, created_ms)
     SELECT event.id, endpoint.id, $9, $10, $11
     FROM event, webhook_endpoints endpoint, generate_series(1, $12)
     WHERE endpoint.enabled_events && ARRAY[event.type, '*']`,
    [
      id,
      type,
      work.apiVersion,
      intent.id,
      JSON.stringify(object),
      work.requestId,
      work.idempotencyKey,
      seconds(work),
      held,
      work.nowMs + (held ? HOLD_CREATED_MS : 0),
      work.nowMs,
      DELIVERIES_PER_ENDPOINT[policy],
    ],
  );
}

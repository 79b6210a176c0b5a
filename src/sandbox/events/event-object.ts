export interface EventRow {
  id: string;
  /** Assigned by the database. */
  sequence?: number;
  type: string;
  api_version: string;
  payment_intent: string;
  object: object;
  previous_attributes: object | null;
  request: string | null;
  idempotency_key: string | null;
  created: number;
}

export function eventObject(event: EventRow, pendingWebhooks: number, apiVersion = event.api_version) {
  return {
    id: event.id,
    object: 'event' as const,
    api_version: apiVersion,
    created: event.created,
    data: {
      object: event.object,
      ...(event.previous_attributes === null ? {} : { previous_attributes: event.previous_attributes }),
    },
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: { id: event.request, idempotency_key: event.idempotency_key },
    type: event.type,
  };
}

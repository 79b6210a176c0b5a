export interface EventRow {
  id: string;
  sequence: number;
  type: string;
  api_version: string;
  object: object;
  request: string | null;
  idempotency_key: string | null;
  created: number;
}

export function eventObject(event: EventRow, pendingWebhooks: number) {
  return {
    id: event.id,
    object: 'event' as const,
    api_version: event.api_version,
    created: event.created,
    data: { object: event.object },
    livemode: false,
    pending_webhooks: pendingWebhooks,
    request: { id: event.request, idempotency_key: event.idempotency_key },
    type: event.type,
  };
}

import type { EventRow } from '../events/event-object.ts';
import type { WebhookEndpointRow } from '../events/webhook-endpoint.ts';
import type { ChargeRow } from '../payments/charge.ts';
import type { IntentRow } from '../payments/intent.ts';
import type { RefundRow } from '../payments/refund-object.ts';

/** How an event is delivered, besides the event itself. */
export interface NewEvent extends EventRow {
  held: boolean;
  due_ms: number;
  created_ms: number;
  /** Deliveries per endpoint. */
  copies: number;
}

/**
 * Everything that one request writes. Endpoints only read from the database and collect their writes here, as whole rows;
 * one statement commits them. `version` is the version that was read, and 0 for a row that is new.
 */
export class Changes {
  readonly intents = new Map<string, IntentRow>();
  readonly charges = new Map<string, ChargeRow>();
  readonly refunds = new Map<string, RefundRow>();
  readonly endpoints: WebhookEndpointRow[] = [];
  readonly events: NewEvent[] = [];

  get isEmpty(): boolean {
    const { intents, charges, refunds, endpoints, events } = this;
    return intents.size + charges.size + refunds.size + endpoints.length + events.length === 0;
  }

  /** Whether a payment was started or finished that ends by itself. */
  get finishesLater(): boolean {
    return [...this.intents.values()].some(({ finishes_at_ms }) => finishes_at_ms !== null);
  }
}

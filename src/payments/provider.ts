import type { Money } from './money.ts';

/** As much of a card as may be printed on a receipt. */
export interface CardDetails {
  readonly brand: string;
  readonly last4: string;
}

/**
 * The provider's PaymentIntent, in our terms. One that is `created` was never confirmed and has moved no money. One that is
 * `declined` has moved none either, and can still be confirmed with another card. One that is `canceled` never can.
 */
export interface Intent {
  readonly id: string;
  /** The tenant and the operation that we created it for. */
  readonly tenantId?: string | undefined;
  readonly operationId: string | undefined;
  /** From our own metadata. */
  readonly generation: number;
  readonly state:
    | 'created'
    | 'requires_action'
    | 'processing'
    | 'succeeded'
    | 'declined'
    | 'canceled'
    | 'other';
  readonly chargeId: string | undefined;
  /** Of the charge, where the response contains it. */
  readonly card?: CardDetails;
  readonly declineCode: string | undefined;
  /** The page of the shopper's bank, where the shopper authenticates. */
  readonly actionUrl: string | undefined;
  /** What it has received, or before that, what it recorded of our request; it must agree with our own record. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly reference: string | undefined;
  /** As we sent it. The provider replaces names of test cards and of reusable cards by its own. */
  readonly paymentMethod: string | undefined;
  readonly createdAt: Date | undefined;
}

/**
 * The result of a call to the provider. Only `responded` and `rejected` are definitive; `not_executed` is proof that
 * nothing happened; everything that is not one of those is `ambiguous`, and must never be read as a failure.
 *
 * The provider's error message is not kept: it may quote the key it was sent, a card or an amount. The code says what it
 * is about, and the provider's support finds the rest by the request's id.
 */
export type ProviderResult =
  | ({ readonly kind: 'responded'; readonly intent: Intent } & Traced)
  | ({
      readonly kind: 'not_executed';
      readonly code: string;
      /** How long to wait before the next request, where the provider said so. */
      readonly retryAfterMs?: number;
    } & Traced)
  | ({ readonly kind: 'rejected'; readonly code: string } & Traced)
  | ({ readonly kind: 'ambiguous'; readonly code: string } & Traced);

/** Codes of rejections that are no bug of ours. */
export const callersMistakes = ['payment_method_unknown', 'amount_not_chargeable'] as const;
export type CallersMistake = (typeof callersMistakes)[number];

export function isCallersMistake(code: string | undefined): code is CallersMistake {
  return callersMistakes.some((mistake) => mistake === code);
}

/** The code of a rejection that is no bug of ours either: part of the money was refunded in the provider's dashboard meanwhile. */
export const refundedElsewhere = 'refund_exceeds_payment';

/** No operator is alerted. */
export function isExpectedRejection(code: string | undefined): boolean {
  return isCallersMistake(code) || code === refundedElsewhere;
}

export type RefundResult =
  | ({ readonly kind: 'responded'; readonly refund: ProviderRefund } & Traced)
  | Exclude<ProviderResult, { kind: 'responded' }>;

interface Traced {
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
}

/** Which operation a call or a message is for. Every line of the log names it. */
export interface OperationContext {
  readonly operationId: string;
  readonly tenantId: string;
}

export interface ProviderRefund {
  readonly id: string;
  /** The operation that we made it for. Undefined: it was made in the provider's dashboard. */
  readonly operationId?: string | undefined;
  readonly state: 'succeeded' | 'pending' | 'failed';
  readonly amountMinor: number;
  readonly currency: string;
  /** From our own metadata. */
  readonly generation: number;
  readonly reference: string | undefined;
  readonly createdAt?: Date | undefined;
}

/** An entry on the provider's own books: what moved, and what tried to. */
export interface ProviderCharge extends Money {
  readonly id: string;
  readonly state: 'succeeded' | 'failed' | 'pending';
  readonly refundedMinor: number;
  readonly card: CardDetails | undefined;
  readonly createdAt: Date;
}

export type ChargesResult =
  | { readonly kind: 'responded'; readonly charges: readonly ProviderCharge[] }
  | Exclude<ProviderResult, { kind: 'responded' }>;

/** What the provider lists of one operation of ours. */
export interface ListedObject {
  readonly operation: { readonly tenantId: string; readonly id: string };
  readonly object: 'payment_intent' | 'refund';
  readonly id: string;
  readonly intentId: string;
  readonly state: string;
  /** For an intent: what it says. */
  readonly intent?: Intent;
}

export type ListedResult =
  | {
      readonly kind: 'responded';
      /** Newest first, without what is not ours. */
      readonly listed: readonly ListedObject[];
      /** Of all that the page has. */
      readonly objectIds: readonly string[];
      /** Where the next page begins, if there is one. */
      readonly next: string | undefined;
    }
  | Exclude<ProviderResult, { kind: 'responded' }>;

/** An event as its webhook has it. */
export interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly operation: { readonly tenantId: string; readonly id: string } | undefined;
  readonly payload: string;
}

export type EventsResult =
  | {
      readonly kind: 'responded';
      readonly events: readonly ListedEvent[];
      /** What they are about. */
      readonly objectIds: readonly string[];
      /** Where the next page begins, if there is one. */
      readonly next: string | undefined;
    }
  | Exclude<ProviderResult, { kind: 'responded' }>;

export interface RefundRequest extends OperationContext {
  readonly generation: number;
  readonly intentId: string;
  readonly amountMinor: number;
  readonly reference: string;
}

/**
 * Which refund of an operation to find. One with an id is found by it, also if it was made in the provider's dashboard and has no
 * metadata of ours. Otherwise it is the one that has not failed, whichever
 * generation made it, because an operation refunds once; if all have failed, that of this generation, or without one the newest.
 */
export interface WantedRefund extends OperationContext {
  readonly intentId: string;
  readonly generation?: number;
  readonly refundId?: string;
}

export interface IntentRequest extends Money, OperationContext {
  readonly generation: number;
  readonly reference: string;
  readonly paymentMethod: string;
}

/**
 * The provider, in two steps: creating an intent moves no money, confirming it does. Both are safe to send again,
 * because their downstream keys come from the operation and its generation, not from the attempt.
 */
export interface PaymentProvider {
  createIntent(request: IntentRequest): Promise<ProviderResult>;
  confirmIntent(
    intentId: string,
    request: OperationContext & { readonly generation: number; readonly returnUrl?: string | undefined },
  ): Promise<ProviderResult>;
  retrieveIntent(intentId: string, of?: OperationContext): Promise<ProviderResult>;
  cancelIntent(intentId: string, of?: OperationContext): Promise<ProviderResult>;
  createRefund(request: RefundRequest): Promise<RefundResult>;
  /** The refund that an operation made, if the provider knows of one. That it knows of none proves nothing. */
  findRefund(wanted: WantedRefund): Promise<RefundResult | undefined>;
  /** All charges under a reference, also of intents we do not know of. The timeout is short: a page waits for it. */
  findCharges(wanted: {
    readonly tenantId: string;
    readonly reference: string;
    readonly intentIds: readonly string[];
  }): Promise<ChargesResult>;
  /** A page of all that was created since a moment, newest first. Unlike a search it lacks nothing that exists. */
  listCreated(page: {
    readonly object: ListedObject['object'];
    readonly since: Date;
    readonly after: string | undefined;
  }): Promise<ListedResult>;
  /** A page of the events that webhooks are sent for, since a moment, newest first. Stripe keeps them for 30 days. */
  listEvents(page: {
    readonly since: Date;
    readonly until?: Date;
    readonly after: string | undefined;
  }): Promise<EventsResult>;
  /** Throws when the provider cannot be reached. */
  ping(): Promise<void>;
}

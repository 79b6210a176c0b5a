import type { Money } from './money.ts';

/** As much of a card as may be printed on a receipt. */
export interface CardDetails {
  readonly brand: string;
  readonly last4: string;
}

/** A charge attempt at the provider, in our terms. `created` has never been confirmed: it has moved no money. */
export interface Intent {
  readonly id: string;
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
  /** Where the shopper's bank wants to see them. */
  readonly actionUrl: string | undefined;
  /** What the provider has on record of what we asked for; it must agree with what we have. */
  readonly amountMinor: number;
  readonly currency: string;
  readonly reference: string | undefined;
  readonly createdAt: Date | undefined;
}

/**
 * The result of a call to the provider. Only `responded` and `rejected` are definitive; `not_executed` is proof that
 * nothing happened; everything that is not one of those is `ambiguous`, and must never be read as a failure.
 *
 * The provider's own sentence is not kept: it may quote the key it was sent, a card or an amount. The code says what it
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
  | ({
      readonly kind: 'rejected';
      readonly code: string;
      /**
       * The command itself is refused. Left out where the refusal may be about the request: its credentials, its rate or its
       * key. Such a refusal is no evidence of what happened before.
       */
      readonly ofCommand?: true;
    } & Traced)
  | ({ readonly kind: 'ambiguous'; readonly code: string } & Traced);

export type RefundResult =
  | ({ readonly kind: 'responded'; readonly refund: ProviderRefund } & Traced)
  | Exclude<ProviderResult, { kind: 'responded' }>;

interface Traced {
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
}

/** Which operation a call is made for; the log of calls is kept by it. */
export interface OnBehalf {
  readonly operationId: string;
  readonly tenantId: string;
}

export interface ProviderRefund {
  readonly id: string;
  readonly state: 'succeeded' | 'pending' | 'failed';
  readonly amountMinor: number;
  readonly currency: string;
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

export interface RefundRequest extends OnBehalf {
  readonly generation: number;
  readonly intentId: string;
  readonly amountMinor: number;
}

export interface IntentRequest extends Money, OnBehalf {
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
    request: OnBehalf & { readonly generation: number; readonly returnUrl?: string | undefined },
  ): Promise<ProviderResult>;
  retrieveIntent(intentId: string, of?: OnBehalf): Promise<ProviderResult>;
  cancelIntent(intentId: string, of?: OnBehalf): Promise<ProviderResult>;
  createRefund(request: RefundRequest): Promise<RefundResult>;
  /** The refund that an operation made in its current generation, if the provider knows of one. That it knows of none proves nothing. */
  findRefund(request: RefundRequest): Promise<RefundResult | undefined>;
  /** All charges under a reference, also of intents we do not know of. The timeout is short: a page waits for it. */
  findCharges(wanted: {
    readonly tenantId: string;
    readonly reference: string;
    readonly intentIds: readonly string[];
  }): Promise<ChargesResult>;
  /** Throws when the provider cannot be reached. */
  ping(): Promise<void>;
}

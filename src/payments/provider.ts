import type { Money } from './money.ts';

/** As much of a card as may be printed on a receipt. */
export interface CardSeen {
  readonly brand: string;
  readonly last4: string;
}

/** A charge attempt at the provider, in our words. `created` has never been confirmed: it has moved no money. */
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
  /** Of the charge, where the answer tells it. */
  readonly card?: CardSeen;
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
 * What a call to the provider tells us. Only `answered` and `rejected` are definitive; `not_executed` is proof that
 * nothing happened; everything that is not one of those is `ambiguous`, and must never be read as a failure.
 *
 * The provider's own sentence is not kept: it may quote the key it was sent, a card or an amount. The code says what it
 * is about, and the provider's support finds the rest by the request's id.
 */
export type ProviderResult =
  | ({ readonly kind: 'answered'; readonly intent: Intent } & Traced)
  | ({
      readonly kind: 'not_executed';
      readonly code: string;
      /** For how long it wants to be left alone, where it said so. */
      readonly retryAfterMs?: number;
    } & Traced)
  | ({
      readonly kind: 'rejected';
      readonly code: string;
      /**
       * It is the command that is refused, for what it asks. Left out where it may be the question: who asks, how often, or
       * under which key. Whoever asks about the past must not take that for an answer.
       */
      readonly ofCommand?: true;
    } & Traced)
  | ({ readonly kind: 'ambiguous'; readonly code: string } & Traced);

export type RefundResult =
  | ({ readonly kind: 'answered'; readonly refund: ProviderRefund } & Traced)
  | Exclude<ProviderResult, { kind: 'answered' }>;

interface Traced {
  /** The provider's own name for the request, where it gave one: what its support asks for. */
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
  readonly card: CardSeen | undefined;
  readonly createdAt: Date;
}

export type ChargesResult =
  | { readonly kind: 'answered'; readonly charges: readonly ProviderCharge[] }
  | Exclude<ProviderResult, { kind: 'answered' }>;

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
  /** All it has under a reference, also under intents we do not know of. Gives up soon: people wait for it. */
  findCharges(wanted: {
    readonly tenantId: string;
    readonly reference: string;
    readonly intentIds: readonly string[];
  }): Promise<ChargesResult>;
  /** Throws when the provider cannot be reached. */
  ping(): Promise<void>;
}

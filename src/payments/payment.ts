import type { Currency } from './money.ts';
import type { CardDetails } from './provider.ts';

/**
 * The life of a payment.
 *
 * - `pending`: its operation is in progress or unknown. It holds its reference: no other payment may use it.
 * - `succeeded`: the provider has the money. Holds the reference for good.
 * - `declined`: the bank refused. Final for this payment; another one may be tried for the reference.
 * - `released`: it is proven that nothing was charged. Its own key may try again (back to `pending`, under a new
 *   generation if the old intent was cancelled or refused), and so may another payment, whichever is first.
 *
 * `pending` and `succeeded` are live: a partial unique index allows one live payment per (tenant, reference). One that was
 * declined or released, and charged after all, holds its reference too unless that is paid back (exceptions/found-charge.ts).
 */
export const paymentStatuses = ['pending', 'succeeded', 'declined', 'released'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export interface Payment {
  readonly id: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly reference: string;
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly paymentMethod: string;
  readonly status: PaymentStatus;
  readonly generation: number;
  readonly providerIntentId: string | undefined;
  /** Booked on an operator's assertion, which the provider has not confirmed so far. */
  readonly asserted: boolean;
}

/** How a payment can end at the provider. */
export type FinalResult =
  | {
      readonly kind: 'succeeded';
      readonly intentId: string;
      readonly chargeId: string | undefined;
      readonly card?: CardDetails;
    }
  | { readonly kind: 'declined'; readonly intentId: string; readonly declineCode: string };

/** The response to the command, the same whether the owner, a webhook or an operator completes it. */
export interface PaymentResponse {
  readonly paymentId: string;
  readonly operationId: string;
  readonly status: 'succeeded' | 'declined';
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly reference: string;
  readonly declineCode?: string;
}

export const responseStatus = 201;

export function paymentResponse(payment: Payment, result: FinalResult): PaymentResponse {
  return {
    paymentId: payment.id,
    operationId: payment.operationId,
    status: result.kind,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    reference: payment.reference,
    ...(result.kind === 'declined' && { declineCode: result.declineCode }),
  };
}

import type { Currency } from './money.ts';
import type { CardSeen } from './provider.ts';

/**
 * The life of a payment.
 *
 * - `pending`: its operation is executing or uncertain. It holds its reference: nobody else may pay for it.
 * - `succeeded`: the provider has the money. Holds the reference for good.
 * - `declined`: the bank said no. Final for this payment; another one may be tried for the reference.
 * - `released`: it is proven that nothing was charged. Its own key may try again (back to `pending`, under a new
 *   generation if the old intent was cancelled or refused), and so may any other, whoever comes first.
 *
 * `pending` and `succeeded` are live: a partial unique index allows one live payment per (tenant, reference).
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
}

/** How a payment can end, as the provider tells it. */
export type FinalResult =
  | {
      readonly kind: 'succeeded';
      readonly intentId: string;
      readonly chargeId: string | undefined;
      readonly card?: CardSeen;
    }
  | { readonly kind: 'declined'; readonly intentId: string; readonly declineCode: string };

/** The answer to the command, the same whoever settles it: the owner, a webhook or an operator. */
export interface PaymentAnswer {
  readonly paymentId: string;
  readonly operationId: string;
  readonly status: 'succeeded' | 'declined';
  readonly amountMinor: number;
  readonly currency: Currency;
  readonly reference: string;
  readonly declineCode?: string;
}

export const answerStatus = 201;

export function paymentAnswer(payment: Payment, result: FinalResult): PaymentAnswer {
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

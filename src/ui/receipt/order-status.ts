import type { RouterOutputs } from '#server/trpc/outputs.ts';

/**
 * The status of an order, for the shopper.
 *
 * - `paid`: there is one successful payment.
 * - `refunded`: paid, and the whole amount was refunded.
 * - `paid_late`: paid after it was cancelled; an operator decides what happens to the money.
 * - `pending`, `pending_cancelled`: the outcome of a payment is unknown. The page calls it neither paid nor failed.
 * - `under_review`, `under_review_cancelled`: a payment that had ended was found to be charged, and the shop decides whether the
 *   money is kept or sent back. Nothing is due meanwhile.
 * - `kept`: the shop keeps the charge of such a payment. Nothing is due.
 * - `overpaid`: paid, and another payment is under review.
 * - `declined`: every payment was declined or released, and no charge of one is left.
 * - `open`: no payment was declined, and none is pending.
 * - `cancelled`: cancelled, and no charge is left.
 */
export type OrderStatus =
  | 'paid'
  | 'refunded'
  | 'paid_late'
  | 'pending'
  | 'pending_cancelled'
  | 'under_review'
  | 'under_review_cancelled'
  | 'kept'
  | 'overpaid'
  | 'declined'
  | 'open'
  | 'cancelled';

type Order = RouterOutputs['shop']['order'];

/** As much of an order as its status depends on. */
export interface OrderFacts extends Pick<Order, 'cancelledAt'> {
  readonly total: Pick<Order['total'], 'amountMinor'>;
  readonly payments: readonly Pick<Order['payments'][number], 'status'>[];
  readonly refunds: readonly {
    readonly status: Order['refunds'][number]['status'];
    readonly amount: Pick<Order['refunds'][number]['amount'], 'amountMinor'>;
  }[];
}

export function orderStatusOf(order: OrderFacts): OrderStatus {
  const has = (wanted: string) => order.payments.some(({ status }) => status === wanted);
  const cancelled = order.cancelledAt !== null;
  if (has('succeeded')) {
    if (has('under_review')) return 'overpaid';
    if (refundsOf(order, 'succeeded') >= order.total.amountMinor) return 'refunded';
    return cancelled ? 'paid_late' : 'paid';
  }
  if (has('pending')) return cancelled ? 'pending_cancelled' : 'pending';
  if (has('under_review')) return cancelled ? 'under_review_cancelled' : 'under_review';
  if (cancelled) return 'cancelled';
  if (has('kept')) return 'kept';
  return has('declined') ? 'declined' : 'open';
}

/** The sum of the refunds that have this status, in minor units. */
export function refundsOf(order: Pick<OrderFacts, 'refunds'>, wanted: 'pending' | 'succeeded'): number {
  return order.refunds
    .filter(({ status }) => status === wanted)
    .reduce((sum, { amount }) => sum + amount.amountMinor, 0);
}

/** The shop keeps money for it: it is neither paid again nor cancelled. */
export function isPaidFor(order: OrderFacts): boolean {
  return order.payments.some(({ status }) => status === 'succeeded' || status === 'kept');
}

export function isPaid(status: OrderStatus): boolean {
  return status === 'paid' || status === 'refunded' || status === 'paid_late' || status === 'overpaid';
}

/** The pay page is shown: it offers to pay, or follows the payment that is under way. */
export function mayBePaid(status: OrderStatus): boolean {
  return status === 'open' || status === 'declined' || status === 'pending';
}

export function isUnderWay(status: OrderStatus): boolean {
  return status === 'pending' || status === 'pending_cancelled';
}

export function isUnderReview(status: OrderStatus): boolean {
  return status === 'under_review' || status === 'under_review_cancelled' || status === 'overpaid';
}

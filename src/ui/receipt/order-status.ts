/**
 * How an order stands, for the shopper.
 *
 * - `paid`: once. - `refunded`: paid, and all of it sent back. - `paid_late`: paid after it was cancelled; a person decides.
 * - `pending`, `pending_cancelled`: the bank has not said yet. Never called paid, and never called failed.
 * - `declined`: tried, and nothing was charged. - `open`: not tried yet. - `cancelled`: over, and nothing was charged.
 */
export type Standing =
  | 'paid'
  | 'refunded'
  | 'paid_late'
  | 'pending'
  | 'pending_cancelled'
  | 'declined'
  | 'open'
  | 'cancelled';

export interface OrderStanding {
  readonly total: { readonly amountMinor: number };
  readonly cancelledAt: string | null;
  readonly attempts: readonly { readonly status: 'pending' | 'succeeded' | 'declined' | 'released' }[];
  readonly refunds: readonly {
    readonly status: 'pending' | 'succeeded' | 'failed';
    readonly amount: { readonly amountMinor: number };
  }[];
}

export function standingOf(order: OrderStanding): Standing {
  const has = (wanted: string) => order.attempts.some(({ status }) => status === wanted);
  const cancelled = order.cancelledAt !== null;
  if (has('succeeded')) {
    const refunded = order.refunds
      .filter(({ status }) => status === 'succeeded')
      .reduce((sum, { amount }) => sum + amount.amountMinor, 0);
    if (refunded >= order.total.amountMinor) return 'refunded';
    return cancelled ? 'paid_late' : 'paid';
  }
  if (has('pending')) return cancelled ? 'pending_cancelled' : 'pending';
  if (cancelled) return 'cancelled';
  return has('declined') ? 'declined' : 'open';
}

export function isPaid(standing: Standing): boolean {
  return standing === 'paid' || standing === 'refunded' || standing === 'paid_late';
}

export function isUnderWay(standing: Standing): boolean {
  return standing === 'pending' || standing === 'pending_cancelled';
}

import type { Prisma } from '#prisma';
import type { PaymentStatus } from '../payment.ts';
import { isUnderReview } from './under-review.ts';

/**
 * A payment as its shopper is shown it: its status, or what became of a charge that was found although it had ended unpaid. It is
 * `resolved` when an operator closed it without a refund, for example because the money had gone back another way.
 */
export type ShownStatus = PaymentStatus | 'under_review' | 'sent_back' | 'resolved';

/** What `shownStatusOf` needs of a payment, to be read together with it. */
export const withFoundCharges = {
  exceptions: { where: { intentId: { not: null } }, select: { status: true } },
} satisfies Prisma.PaymentInclude;

export function shownStatusOf(payment: {
  readonly status: string;
  readonly exceptions: readonly { readonly status: string }[];
}): ShownStatus {
  const status = payment.status as PaymentStatus;
  const having = (wanted: string) => payment.exceptions.filter((found) => found.status === wanted);
  if (isUnderReview({ status, exceptions: having('open') })) return 'under_review';
  if (status === 'pending' || status === 'succeeded') return status;
  if (having('dismissed').length > 0) return 'resolved';
  return having('refunded').length > 0 ? 'sent_back' : status;
}

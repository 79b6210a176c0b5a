import type { RouterOutputs } from '#server/trpc/outputs.ts';

export type PaymentOutcome = RouterOutputs['payment']['list']['payments'][number]['outcome'];

export const paymentOutcomeCopy: Record<PaymentOutcome, string> = {
  paid: 'Paid',
  refunded: 'Refunded',
  refund_unknown: 'Refund unknown',
  declined: 'Declined',
  unknown: 'Unknown',
  not_charged: 'Not charged',
  found_charged: 'Found charged',
};

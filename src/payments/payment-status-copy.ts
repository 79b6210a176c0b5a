import { declineOf } from './declines.ts';
import type { ShownStatus } from './exceptions/found-charge.ts';

/**
 * The state of a payment in one line, for the receipt's page and the e-mail alike. A payment that is under way is called
 * neither a charge nor a failure.
 */
export function paymentStatusLabel(payment: {
  readonly status: ShownStatus;
  readonly declineCode: string | null;
}): string {
  switch (payment.status) {
    case 'succeeded':
      return 'Charged';
    case 'declined':
      return `Declined, not charged: ${declineOf(payment.declineCode).reason}`;
    case 'released':
      return 'Not carried out, not charged';
    case 'under_review':
      return 'Found to be charged: the shop is checking it';
    case 'sent_back':
      return 'Found to be charged, and sent back';
    case 'kept':
      return 'Found to be charged, and kept by the shop: nothing more is due';
    case 'pending':
      return 'Being checked with the bank';
  }
}

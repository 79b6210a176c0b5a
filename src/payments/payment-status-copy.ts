import { declineOf } from './declines.ts';

/**
 * The state of a payment in one line, for the receipt's page and the e-mail alike. A payment that is under way is called
 * neither a charge nor a failure.
 */
export function paymentStatusLabel(payment: { status: string; declineCode: string | null }): string {
  switch (payment.status) {
    case 'succeeded':
      return 'Charged';
    case 'declined':
      return `Declined, not charged: ${declineOf(payment.declineCode).reason}`;
    case 'released':
      return 'Not carried out, not charged';
    default:
      return 'Being checked with the bank';
  }
}

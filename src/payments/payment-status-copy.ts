import { declineOf } from './declines.ts';

/**
 * What became of an attempt, in one line, for the receipt and the e-mail alike. An attempt that is under way is called
 * neither a charge nor a failure.
 */
export function attemptWords(payment: { status: string; declineCode: string | null }): string {
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

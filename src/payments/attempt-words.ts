const reasons = new Map([
  ['insufficient_funds', 'not enough money on the card'],
  ['expired_card', 'the card has expired'],
  ['incorrect_cvc', 'the security code was wrong'],
  ['processing_error', 'the bank could not process the card'],
  ['authentication_required', 'it was not confirmed with the bank'],
  ['authentication_failed', 'it was not confirmed with the bank'],
  ['payment_intent_authentication_failure', 'it was not confirmed with the bank'],
  ['lost_card', 'the bank did not say why'],
  ['stolen_card', 'the bank did not say why'],
]);

/**
 * What became of an attempt, in one line, for the receipt and the e-mail alike. An attempt that is under way is called
 * neither a charge nor a failure. What the bank says about theft is between the bank and the card's owner.
 */
export function attemptWords(payment: { status: string; declineCode: string | null }): string {
  switch (payment.status) {
    case 'succeeded':
      return 'Charged';
    case 'declined':
      return `Declined, not charged: ${reasons.get(payment.declineCode ?? '') ?? 'the bank did not say why'}`;
    case 'released':
      return 'Not carried out, not charged';
    default:
      return 'Being checked with the bank';
  }
}

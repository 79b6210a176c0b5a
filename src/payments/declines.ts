/**
 * Why a bank said no, in the words of each place that says it: the pay page, where something can still be done about it,
 * and the receipt and the e-mail, which look back. One table, so that a reason known to one is known to all. It is part
 * of what a shopper's browser downloads: nothing is imported here.
 */
export interface Decline {
  /** A sentence, while the card is still in the shopper's hand. */
  readonly title: string;
  /** A clause, when it is over. */
  readonly reason: string;
  /** What can be done next. */
  readonly advice: string;
}

/** One thing under three names, by whether the bank, the card scheme or Stripe noticed it. */
const notConfirmed: Decline = {
  title: 'Your bank could not confirm that it was you.',
  reason: 'it was not confirmed with the bank',
  advice: 'Pay and confirm it with your bank, or choose another card.',
};

const oftenOver = 'This is often over in a minute: pay with the same card a little later, or choose another.';

const later: Decline = {
  title: 'Your bank could not be asked just now.',
  reason: 'the bank could not be asked',
  advice: oftenOver,
};

const limit: Decline = {
  title: 'Your bank declined: the card’s limit is reached.',
  reason: 'the card’s limit was reached',
  advice: 'Choose another card, or ask your bank to raise the limit, then pay.',
};

const notTaken: Decline = {
  title: 'Your bank does not allow this kind of payment with this card.',
  reason: 'the bank does not allow this kind of payment with the card',
  advice: 'Choose another card, then pay.',
};

const mistyped: Decline = {
  title: 'Your bank declined: the card number is wrong.',
  reason: 'the card number was wrong',
  advice: 'Check the number, or choose another card, then pay.',
};

const byCode = new Map<string, Decline>([
  [
    'insufficient_funds',
    {
      title: 'Your bank declined: not enough money on this card.',
      reason: 'not enough money on the card',
      advice: 'Choose another card, or top this one up, then pay.',
    },
  ],
  [
    'expired_card',
    {
      title: 'Your bank declined: this card has expired.',
      reason: 'the card has expired',
      advice: 'Choose a card that is still valid, then pay.',
    },
  ],
  [
    'incorrect_cvc',
    {
      title: 'Your bank declined: the security code is wrong.',
      reason: 'the security code was wrong',
      // Three digits on the back of most cards, four on the front of some.
      advice: 'Check the security code printed on the card, or choose another card, then pay.',
    },
  ],
  [
    'processing_error',
    {
      title: 'Your bank could not process the card.',
      reason: 'the bank could not process the card',
      advice: oftenOver,
    },
  ],
  [
    'incorrect_zip',
    {
      title: 'Your bank declined: the postal code is wrong.',
      reason: 'the postal code was wrong',
      advice: 'Check the postal code your bank knows, or choose another card, then pay.',
    },
  ],
  ['incorrect_number', mistyped],
  ['invalid_number', mistyped],
  ['invalid_account', mistyped],
  ['card_velocity_exceeded', limit],
  ['withdrawal_count_limit_exceeded', limit],
  ['card_not_supported', notTaken],
  ['currency_not_supported', notTaken],
  ['transaction_not_allowed', notTaken],
  ['issuer_not_available', later],
  ['reenter_transaction', later],
  ['try_again_later', later],
  ['authentication_required', notConfirmed],
  ['authentication_failed', notConfirmed],
  ['payment_intent_authentication_failure', notConfirmed],
]);

/**
 * Banks keep the reason to themselves more often than not. And what the bank says about theft is between the bank and
 * the card's owner: whoever holds a card reported lost or stolen is told no more than this.
 */
const unexplained: Decline = {
  title: 'Your bank declined this card.',
  reason: 'the bank did not say why',
  advice: 'Banks rarely say why. Choose another card, or ask your bank, then pay.',
};

export const explainedDeclines: readonly string[] = [...byCode.keys()];

export function declineOf(code: string | null | undefined): Decline {
  return byCode.get(code ?? '') ?? unexplained;
}

/**
 * Why a bank declined, for the pay page, where the shopper can still choose another card, and for the receipt and the e-mail,
 * which report it afterwards. They share one table, so that all know the same reasons. The browser downloads this file, so
 * it imports nothing.
 */
export interface Decline {
  /** A sentence, for the pay page. */
  readonly title: string;
  /** A clause, for the receipt and the e-mail. */
  readonly reason: string;
  /** What can be done next. */
  readonly advice: string;
}

/** One reason under three codes, by whether the bank, the card scheme or Stripe noticed it. */
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
 * Most declines have no reason. And a report of theft concerns only the bank and the card's owner, so the holder of a card
 * reported lost or stolen gets the same text.
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

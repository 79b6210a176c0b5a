interface DeclineWords {
  readonly title: string;
  readonly body: string;
}

const nothingCharged = 'Nothing was charged.';

/** One thing under three names, by whether the bank, the card scheme or Stripe noticed it. */
const notConfirmed: DeclineWords = {
  title: 'Your bank could not confirm that it was you.',
  body: `${nothingCharged} Pay and confirm it with your bank, or choose another card.`,
};

const later: DeclineWords = {
  title: 'Your bank could not be asked just now.',
  body: `${nothingCharged} This is often over in a minute: pay with the same card a little later, or choose another.`,
};

const limit: DeclineWords = {
  title: 'Your bank declined: the card’s limit is reached.',
  body: `${nothingCharged} Choose another card, or ask your bank to raise the limit, then pay.`,
};

const notTaken: DeclineWords = {
  title: 'Your bank does not allow this kind of payment with this card.',
  body: `${nothingCharged} Choose another card, then pay.`,
};

const mistyped: DeclineWords = {
  title: 'Your bank declined: the card number is wrong.',
  body: `${nothingCharged} Check the number, or choose another card, then pay.`,
};

const byCode = new Map<string, DeclineWords>([
  [
    'insufficient_funds',
    {
      title: 'Your bank declined: not enough money on this card.',
      body: `${nothingCharged} Choose another card, or top this one up, then pay.`,
    },
  ],
  [
    'expired_card',
    {
      title: 'Your bank declined: this card has expired.',
      body: `${nothingCharged} Choose a card that is still valid, then pay.`,
    },
  ],
  [
    'incorrect_cvc',
    {
      title: 'Your bank declined: the security code is wrong.',
      body: `${nothingCharged} Check the three digits on the back, or choose another card, then pay.`,
    },
  ],
  [
    'processing_error',
    {
      title: 'Your bank could not process the card.',
      body: `${nothingCharged} This is often over in a minute: pay with the same card a little later, or choose another.`,
    },
  ],
  [
    'incorrect_zip',
    {
      title: 'Your bank declined: the postal code is wrong.',
      body: `${nothingCharged} Check the postal code your bank knows, or choose another card, then pay.`,
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

/** Banks keep the reason to themselves more often than not; and of a card reported lost or stolen, nothing is said here. */
const generic: DeclineWords = {
  title: 'Your bank declined this card.',
  body: `${nothingCharged} Banks rarely say why. Choose another card, or ask your bank, then pay.`,
};

export function declineWords(code: string | undefined): DeclineWords {
  return byCode.get(code ?? '') ?? generic;
}

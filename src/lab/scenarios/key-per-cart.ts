import type { Scenario } from '../scenario.ts';

export const keyPerCart: Scenario = {
  name: 'key-per-cart',
  title: 'Key per cart, not per attempt',
  group: 'Keys',
  story:
    'The client uses the cart’s id as its key: the card is declined, and the next card comes with the same key.',
  card: 'pm_card_visa_chargeDeclinedInsufficientFunds',
  steps: [
    { do: 'pay' },
    { do: 'send', card: 'pm_card_visa', unlessPaid: true },
    { do: 'pay', keys: ['B'], card: 'pm_card_visa', unlessPaid: true },
  ],
  promise: { protected: { charges: 1, record: 'completed' }, naive: { charges: 1 } },
  lesson: 'Another card is another command: the old key is refused, and a key of its own pays once.',
};

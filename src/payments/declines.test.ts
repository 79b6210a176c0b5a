import { expect, test } from 'vitest';
import { declineOf, explainedDeclines } from './declines.ts';
import { paymentStatusLabel } from './payment-status-copy.ts';

const declined = (declineCode: string | null) => paymentStatusLabel({ status: 'declined', declineCode });
const unexplained = 'Declined, not charged: the bank did not say why';

test.each(explainedDeclines)(
  '%s is called by what it is, on the pay page, the receipt and the e-mail',
  (code) => {
    const { title, reason, advice } = declineOf(code);
    expect(title).toMatch(/^Your bank .+\.$/);
    expect(reason).toMatch(/^[a-z].*[^.]$/);
    expect(advice).toMatch(/(card|pay).*\.$/);
    expect(declineOf(code)).not.toBe(declineOf(undefined));
    expect(declined(code)).toBe(`Declined, not charged: ${reason}`);
    expect(declined(code)).not.toBe(unexplained);
  },
);

test('nineteen reasons are known', () => {
  expect(new Set(explainedDeclines).size).toBe(19);
});

test.each(['lost_card', 'stolen_card', 'fraudulent', 'pickup_card', 'generic_decline', null])(
  'the shopper does not learn that the card was %s',
  (code) => {
    expect(declineOf(code)).toBe(declineOf(undefined));
    expect(declined(code)).toBe(unexplained);
  },
);

test('no advice says where on a card the security code is: cards differ in that', () => {
  expect(declineOf('incorrect_cvc').advice).not.toMatch(/three|four|back|front/);
});

import { expect, test } from 'vitest';
import { declineWords } from './decline-words.ts';

const known = [
  'insufficient_funds',
  'expired_card',
  'incorrect_cvc',
  'incorrect_number',
  'incorrect_zip',
  'processing_error',
  'card_velocity_exceeded',
  'card_not_supported',
  'issuer_not_available',
  'authentication_required',
];

test.each([...known, 'generic_decline', undefined])(
  'a decline for %s says that nothing was charged, and what to do next',
  (code) => {
    expect(declineWords(code).body).toMatch(/^Nothing was charged\. .*(card|pay)/);
  },
);

test.each(known)('%s is called by what it is', (code) => {
  expect(declineWords(code)).not.toEqual(declineWords(undefined));
});

test.each(['lost_card', 'stolen_card', 'fraudulent', 'pickup_card'])(
  'whoever holds a card is not told that it was %s',
  (code) => {
    expect(declineWords(code)).toEqual(declineWords('generic_decline'));
  },
);

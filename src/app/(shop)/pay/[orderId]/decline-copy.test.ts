import { expect, test } from 'vitest';
import { declineWords } from './decline-copy.ts';

test.each(['insufficient_funds', 'card_velocity_exceeded', 'generic_decline', undefined])(
  'a decline for %s says that nothing was charged, and what to do next',
  (code) => {
    expect(declineWords(code).body).toMatch(/^Nothing was charged\. .*(card|pay)/);
  },
);

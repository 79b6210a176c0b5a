import { expect, test } from 'vitest';
import { payCommandOf } from './stored-command.ts';

test.each([
  null,
  undefined,
  5,
  'text',
  [1],
  {},
  { email: 'a@b.example' },
  { email: 1, paymentMethod: 'pm_card_visa' },
])('a stored command that is none, %j, is not shown: the form stays usable', (stored) => {
  expect(payCommandOf(stored)).toBeUndefined();
});

test('a stored command is shown as it is', () => {
  const command = { email: 'a@b.example', paymentMethod: 'pm_card_visa' };
  expect(payCommandOf(command)).toEqual(command);
});

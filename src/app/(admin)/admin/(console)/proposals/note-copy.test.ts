import { expect, test } from 'vitest';
import { noteCopy } from './note-copy.ts';

test.each([
  ['webhook:evt_1AbC', 'the provider’s message evt_1AbC'],
  ['poller', 'an automatic check'],
  ['operator:0b0e', 'a check that a person asked for'],
])('that evidence of %s voided a proposal is said in words, and is no quotation', (actor, by) => {
  const note = `Resolved meanwhile by ${actor}: provider_succeeded`;
  const said = noteCopy(note, 'void', 'payment.create');
  expect(said).toContain(`Resolved meanwhile by ${by}: `);
  expect(said).not.toContain('provider_succeeded');
});

test('a person’s own text is quoted, also when it reads like one of those', () => {
  const note = 'Resolved meanwhile by poller: provider_succeeded';
  expect(noteCopy(note, 'rejected', 'payment.create')).toBeUndefined();
});

import { expect, test } from 'vitest';
import { cancelTroubleCopy } from './cancel-copy.ts';

test('a cancellation whose answer was lost is not called undone: it may have been committed', () => {
  expect(cancelTroubleCopy.failed).not.toMatch(/did not work|as it was|not cancelled/i);
  expect(cancelTroubleCopy.failed).toMatch(/load this page again/i);
});

import { expect, test } from 'vitest';
import { cancelCopy, cancelTroubleCopy } from './cancel-copy.ts';

test('a cancellation whose answer was lost is not called undone: it may have been committed', () => {
  expect(cancelTroubleCopy.failed).not.toMatch(/did not work|as it was|not cancelled/i);
  expect(cancelTroubleCopy.failed).toMatch(/load this page again/i);
});

test('that nothing was charged is said only of an order of which nothing was', () => {
  expect(cancelCopy([])).toMatch(/^Nothing was charged, and nothing will be/);
  expect(cancelCopy([{ status: 'declined' }, { status: 'released' }])).toBe(cancelCopy([]));
  expect(cancelCopy([{ status: 'pending' }])).toContain('A payment is under way.');
  const underReview = cancelCopy([{ status: 'under_review' }]);
  expect(underReview).toMatch(/the shop is checking a payment/i);
  expect(underReview).toMatch(/decides about sending (it|the money) back/);
  for (const status of ['under_review', 'sent_back'] as const) {
    expect(cancelCopy([{ status }])).not.toMatch(/nothing was charged/i);
  }
});

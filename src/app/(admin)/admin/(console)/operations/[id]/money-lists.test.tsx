import type { ComponentProps } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { MoneyLists } from './money-lists.tsx';

type Exception = ComponentProps<typeof MoneyLists>['about']['exceptions'][number];

function decisionOf(over: Partial<Exception>): string | undefined {
  const exception: Exception = {
    ...{ id: 'e', reason: 'record_lost', status: 'open', at: '2026-11-16T06:00:00.000Z' },
    ...{ returned: false, refundable: true, ...over },
  };
  const html = renderToStaticMarkup(
    <MoneyLists about={{ ledger: [], refunds: [], exceptions: [exception] }} />,
  );
  return /href="\/admin\/exceptions"[^>]*>([^<]*)</.exec(html)?.[1];
}

test('what was decided about money that the books did not expect is called as on its own page', () => {
  expect(decisionOf({})).toBe('Waiting for a decision');
  expect(decisionOf({ status: 'refunded' })).toBe('Refunded');
  // It is in the books: the shop has not kept what was not its own.
  expect(decisionOf({ status: 'booked' })).toBe('Booked');
  expect(decisionOf({ status: 'dismissed' })).toBe('Kept');
  // The money of a refund that was returned went back another way, and of one that was denied there was none.
  expect(decisionOf({ status: 'dismissed', returned: true })).toBe('Resolved another way');
  expect(decisionOf({ status: 'dismissed', refundable: false })).toBe('Resolved another way');
});

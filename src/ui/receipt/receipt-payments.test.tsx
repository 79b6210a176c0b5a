import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { ReceiptPayments } from './receipt-payments.tsx';

type Status = Parameters<typeof ReceiptPayments>[0]['payments'][number]['status'];

function titleOf(...statuses: Status[]): string | undefined {
  const payments = statuses.map((status, n) => ({
    ...{ paymentId: String(n), operationId: String(n), status, declineCode: null, label: '' },
    ...{ chargeId: null, receiptNumber: null, createdAt: '2026-11-16T06:00:00.000Z', completedAt: null },
  }));
  return /<h2[^>]*>([^<]*)</.exec(renderToStaticMarkup(<ReceiptPayments payments={payments} />))?.[1];
}

it('counts no charges while one of them is being checked, nor calls none what was charged and sent back', () => {
  expect(titleOf('declined', 'succeeded')).toBe('2 attempts, one charge');
  expect(titleOf('declined', 'released')).toBe('2 attempts, no charge');
  expect(titleOf('pending')).toBe('One attempt, outcome not known yet');
  expect(titleOf('under_review')).toBe('One attempt, being checked by the shop');
  expect(titleOf('under_review', 'succeeded')).toBe('2 attempts, being checked by the shop');
  expect(titleOf('sent_back')).toBe('One attempt, no charge left');
  expect(titleOf('kept', 'declined')).toBe('2 attempts, one charge');
  expect(titleOf('kept', 'pending')).toBe('2 attempts, outcome not known yet');
  expect(titleOf('kept', 'succeeded')).toBe('2 attempts, 2 charges');
});

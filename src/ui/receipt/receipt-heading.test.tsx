import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { OrderStatus } from './order-status.ts';
import { ReceiptHeading } from './receipt-heading.tsx';

type Refund = Parameters<typeof ReceiptHeading>[0]['refunds'][number];

function textOf(
  status: OrderStatus,
  refunds: [Refund['status'], number][],
  chargeFound?: 'sent_back' | 'kept',
): string {
  const html = renderToStaticMarkup(
    <ReceiptHeading
      status={status}
      payments={chargeFound ? [{ status: 'declined' }, { status: chargeFound }] : []}
      total={{ amountMinor: 1450, currency: 'eur' }}
      orderId="6d2a1f0e-5a43-4b6e-9a5b-0f6a2b7c8d9e"
      number="AC-1"
      shop={{ slug: 'acme', name: 'Acme Coffee', contactEmail: null }}
      refunds={refunds.map(([status, amountMinor], n) => ({
        id: String(n),
        status,
        amount: { amountMinor, currency: 'eur' },
        at: '2026-11-16T06:00:00.000Z',
      }))}
    />,
  );
  return html.replaceAll(/<[^>]*>/g, '');
}

describe('the heading of a receipt', () => {
  it('of a payment without a refund mentions none', () => {
    expect(textOf('paid', [])).not.toContain('sent back');
  });

  it.each(['paid', 'paid_late'] as const)('says how much of a payment was sent back: %s', (status) => {
    const text = textOf(status, [
      ['succeeded', 300],
      ['succeeded', 200],
    ]);
    expect(text).toContain('Of this, €5.00 was sent back to your card.');
    expect(text).not.toContain('is being sent back');
  });

  it('calls a refund without an outcome under way, and never sent', () => {
    const text = textOf('paid', [['pending', 450]]);
    expect(text).toContain('A refund of €4.50 is being sent back.');
    expect(text).not.toContain('was sent back');
  });

  it('does not count a refund that the bank returned: the shop has that money', () => {
    expect(textOf('paid', [['failed', 450]])).not.toContain('sent back');
  });

  it.each(['under_review', 'under_review_cancelled', 'overpaid'] as const)(
    'says what the shop is checking, and the reference to quote, and neither that nothing was charged nor that it is due: %s',
    (status) => {
      const text = textOf(status, []);
      expect(text).toMatch(/being checked by the shop/);
      expect(text).toMatch(/sends? it back/);
      expect(text).toContain('quote AC-1');
      expect(text).not.toMatch(/nothing was charged|is due|exactly once|Go to the payment|another card/i);
    },
  );

  it('says of a charge that the shop keeps that nothing more is due, and the reference to quote', () => {
    const text = textOf('kept', [], 'kept');
    expect(text).toMatch(/^Charged: €14\.50\. Nothing more is due/);
    expect(text).toMatch(/found to be charged, and Acme Coffee keeps it/);
    expect(text).toContain('quote AC-1');
    expect(text).not.toMatch(/nothing was charged|€14\.50 is due|Go to the payment|another card/i);
  });

  it.each(['paid', 'refunded', 'paid_late', 'overpaid'] as const)(
    'says what the shop keeps besides the payment, and then not that it was paid once: %s',
    (status) => {
      expect(textOf(status, [])).not.toContain('keeps it');
      const text = textOf(status, [], 'kept');
      expect(text).toMatch(/charged as well, and Acme Coffee keeps it. To ask, quote AC-1\./);
      expect(text).not.toMatch(/paid once|exactly once/i);
    },
  );

  it.each(['open', 'declined', 'cancelled'] as const)(
    'does not say that nothing was charged of an order of which money was sent back, or kept by the shop: %s',
    (status) => {
      expect(textOf(status, [])).toContain('othing was charged');
      expect(textOf(status, [], 'sent_back')).toContain('An earlier payment was charged, and sent back.');
      expect(textOf(status, [], 'kept')).toContain('quote AC-1');
      for (const found of ['sent_back', 'kept'] as const) {
        expect(textOf(status, [], found)).not.toMatch(/nothing was charged/i);
      }
    },
  );
});

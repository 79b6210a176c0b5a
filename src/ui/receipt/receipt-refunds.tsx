import { CircleAlert, CircleQuestionMark, Undo2 } from 'lucide-react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Moment } from '../moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

export interface ReceiptRefund {
  readonly id: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly amount: Money;
  readonly at: string;
}

const looks = {
  succeeded: { Mark: Undo2, look: 'text-ok bg-ok-soft', words: 'sent back to your card' },
  pending: {
    Mark: CircleQuestionMark,
    look: 'text-unknown bg-unknown-soft',
    words: 'is being sent back',
  },
  failed: {
    Mark: CircleAlert,
    look: 'text-danger bg-danger-soft',
    words: 'was sent back to your card, and your bank returned it. The shop has been told and has the money.',
  },
};

export function ReceiptRefunds({ refunds }: { refunds: readonly ReceiptRefund[] }) {
  if (refunds.length === 0) return null;
  return (
    <ReceiptSection id="refunds-title" title={refunds.length === 1 ? 'Refund' : 'Refunds'}>
      <ul className="grid gap-3 print:gap-0">
        {refunds.map(({ id, status, amount, at }) => {
          const { Mark, look, words } = looks[status];
          return (
            <ReceiptEvent
              key={id}
              mark={<Mark className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              look={look}
              at={<Moment at={at} />}
            >
              <span className="money font-medium">{formatMoney(amount)}</span> {words}
            </ReceiptEvent>
          );
        })}
      </ul>
    </ReceiptSection>
  );
}

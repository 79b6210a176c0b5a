import { CircleQuestionMark, Undo2 } from 'lucide-react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Moment } from '../moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

export interface ReceiptRefund {
  readonly id: string;
  readonly status: 'pending' | 'succeeded';
  readonly amount: Money;
  readonly at: string;
}

export function ReceiptRefunds({ refunds }: { refunds: readonly ReceiptRefund[] }) {
  if (refunds.length === 0) return null;
  return (
    <ReceiptSection id="refunds-title" title={refunds.length === 1 ? 'Refund' : 'Refunds'}>
      <ul className="grid gap-3 print:gap-0">
        {refunds.map(({ id, status, amount, at }) => (
          <ReceiptEvent
            key={id}
            mark={
              status === 'succeeded' ? (
                <Undo2 className="size-4" strokeWidth={2.5} aria-hidden="true" />
              ) : (
                <CircleQuestionMark className="size-4" aria-hidden="true" />
              )
            }
            look={status === 'succeeded' ? 'text-ok bg-ok-soft' : 'text-unknown bg-unknown-soft'}
            at={<Moment at={at} />}
          >
            <span className="money font-medium">{formatMoney(amount)}</span>{' '}
            {status === 'succeeded' ? 'sent back to your card' : 'is being sent back'}
          </ReceiptEvent>
        ))}
      </ul>
    </ReceiptSection>
  );
}

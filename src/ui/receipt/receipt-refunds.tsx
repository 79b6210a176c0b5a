import { CircleAlert, CircleQuestionMark, Undo2 } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { Moment } from './moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

type ReceiptRefund = RouterOutputs['shop']['order']['refunds'][number];

const styles = {
  succeeded: { Mark: Undo2, style: 'text-ok bg-ok-soft', text: 'sent back to your card' },
  pending: {
    Mark: CircleQuestionMark,
    style: 'text-unknown bg-unknown-soft',
    text: 'is being sent back',
  },
  failed: {
    Mark: CircleAlert,
    style: 'text-danger bg-danger-soft',
    text: 'was sent back to your card, and your bank returned it. The shop has been notified and has the money.',
  },
};

export function ReceiptRefunds({ refunds }: { refunds: readonly ReceiptRefund[] }) {
  if (refunds.length === 0) return null;
  return (
    <ReceiptSection id="refunds-title" title={refunds.length === 1 ? 'Refund' : 'Refunds'}>
      <ul className="grid gap-3 print:gap-0">
        {refunds.map(({ id, status, amount, at }) => {
          const { Mark, style, text } = styles[status];
          return (
            <ReceiptEvent
              key={id}
              mark={<Mark className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              style={style}
              at={<Moment at={at} />}
            >
              <span className="money font-medium">
                <Amount of={amount} />
              </span>{' '}
              {text}
            </ReceiptEvent>
          );
        })}
      </ul>
    </ReceiptSection>
  );
}

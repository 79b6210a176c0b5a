import { Check, CircleQuestionMark, Undo2, X } from 'lucide-react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Moment } from './moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

type ReceiptPayment = RouterOutputs['shop']['order']['payments'][number];

const styles = {
  succeeded: { Icon: Check, style: 'text-ok bg-ok-soft' },
  declined: { Icon: X, style: 'text-danger bg-danger-soft' },
  pending: { Icon: CircleQuestionMark, style: 'text-unknown bg-unknown-soft' },
  released: { Icon: Undo2, style: 'text-ink-soft bg-sunken' },
  under_review: { Icon: CircleQuestionMark, style: 'text-unknown bg-unknown-soft' },
  sent_back: { Icon: Undo2, style: 'text-ok bg-ok-soft' },
  kept: { Icon: Check, style: 'text-ok bg-ok-soft' },
} as const;

/** Every payment of the order, so that the shopper can count the charges. */
export function ReceiptPayments({ payments }: { payments: readonly ReceiptPayment[] }) {
  if (payments.length === 0) return null;
  const count = payments.length === 1 ? 'One attempt' : `${payments.length} attempts`;
  return (
    <ReceiptSection id="payments-title" title={`${count}, ${outcomeCopy(payments)}`}>
      <ol className="grid gap-3 print:gap-0">
        {payments.map(({ paymentId, status, label, createdAt }) => {
          const { Icon, style } = styles[status];
          return (
            <ReceiptEvent
              key={paymentId}
              mark={<Icon className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              style={style}
              at={<Moment at={createdAt} />}
            >
              {label}
            </ReceiptEvent>
          );
        })}
      </ol>
    </ReceiptSection>
  );
}

/** While a payment is pending or checked the number of charges is not known. */
function outcomeCopy(payments: readonly ReceiptPayment[]): string {
  const has = (wanted: ReceiptPayment['status']) => payments.some(({ status }) => status === wanted);
  if (has('under_review')) return 'being checked by the shop';
  if (has('pending')) return 'outcome not known yet';
  const charges = payments.filter(({ status }) => status === 'succeeded' || status === 'kept').length;
  if (charges > 0) return charges === 1 ? 'one charge' : `${charges} charges`;
  return has('sent_back') ? 'no charge left' : 'no charge';
}

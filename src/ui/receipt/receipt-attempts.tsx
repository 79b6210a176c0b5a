import { Check, CircleQuestionMark, Undo2, X } from 'lucide-react';
import { Moment } from '../moment.tsx';
import { ReceiptEvent, ReceiptSection } from './receipt-section.tsx';

export interface ReceiptAttempt {
  readonly paymentId: string;
  readonly status: 'pending' | 'succeeded' | 'declined' | 'released';
  readonly words: string;
  readonly createdAt: string;
}

const styles = {
  succeeded: { Icon: Check, style: 'text-ok bg-ok-soft' },
  declined: { Icon: X, style: 'text-danger bg-danger-soft' },
  pending: { Icon: CircleQuestionMark, style: 'text-unknown bg-unknown-soft' },
  released: { Icon: Undo2, style: 'text-ink-soft bg-sunken' },
} as const;

/** Every attempt made for the order, so that the shopper can count the charges. */
export function ReceiptAttempts({ attempts }: { attempts: readonly ReceiptAttempt[] }) {
  if (attempts.length === 0) return null;
  const tried = attempts.length === 1 ? 'One attempt' : `${attempts.length} attempts`;
  return (
    <ReceiptSection id="attempts-title" title={`${tried}, ${outcomeCopy(attempts)}`}>
      <ol className="grid gap-3 print:gap-0">
        {attempts.map(({ paymentId, status, words, createdAt }) => {
          const { Icon, style } = styles[status];
          return (
            <ReceiptEvent
              key={paymentId}
              mark={<Icon className="size-4" strokeWidth={2.5} aria-hidden="true" />}
              style={style}
              at={<Moment at={createdAt} />}
            >
              {words}
            </ReceiptEvent>
          );
        })}
      </ol>
    </ReceiptSection>
  );
}

/** While an attempt is being checked the number of charges is not known. */
function outcomeCopy(attempts: readonly ReceiptAttempt[]): string {
  if (attempts.some(({ status }) => status === 'succeeded')) return 'one charge';
  return attempts.some(({ status }) => status === 'pending') ? 'outcome not known yet' : 'no charge';
}

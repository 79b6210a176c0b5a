import { Check, CircleQuestionMark, Undo2, X } from 'lucide-react';
import { Moment } from '../moment.tsx';

export interface ReceiptAttempt {
  readonly paymentId: string;
  readonly status: 'pending' | 'succeeded' | 'declined' | 'released';
  readonly declineCode: string | null;
  readonly createdAt: string;
}

const looks = {
  succeeded: { Icon: Check, colour: 'text-ok bg-ok-soft', words: 'Charged' },
  declined: { Icon: X, colour: 'text-danger bg-danger-soft', words: 'Declined by the bank, not charged' },
  pending: { Icon: CircleQuestionMark, colour: 'text-unknown bg-unknown-soft', words: 'Being checked' },
  released: { Icon: Undo2, colour: 'text-ink-soft bg-sunken', words: 'Not carried out, not charged' },
} as const;

/** Every attempt made for the order, so that "once" can be counted and need not be believed. */
export function ReceiptAttempts({ attempts }: { attempts: readonly ReceiptAttempt[] }) {
  if (attempts.length === 0) return null;
  const tried = attempts.length === 1 ? 'One attempt' : `${attempts.length} attempts`;
  return (
    <section aria-labelledby="attempts-title" className="mt-10">
      <h2 id="attempts-title" className="font-semibold tracking-tight">
        {tried}, {outcomeWords(attempts)}
      </h2>
      <ol className="mt-3 grid gap-3">
        {attempts.map((attempt) => {
          const { Icon, colour, words } = looks[attempt.status];
          return (
            <li key={attempt.paymentId} className="flex gap-3 text-sm leading-7">
              <span className={`grid size-7 shrink-0 place-items-center rounded-full ${colour}`}>
                <Icon className="size-4" strokeWidth={2.5} aria-hidden="true" />
              </span>
              <span className="min-w-0 flex-1 sm:flex sm:justify-between sm:gap-4">
                <span className="block">
                  {words}
                  {attempt.declineCode && (
                    <span className="text-ink-faint"> ({attempt.declineCode.replaceAll('_', ' ')})</span>
                  )}
                </span>
                <span className="block whitespace-nowrap text-ink-faint max-sm:-mt-1">
                  <Moment at={attempt.createdAt} />
                </span>
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** While an attempt is being checked nobody may say how many charges there are. */
function outcomeWords(attempts: readonly ReceiptAttempt[]): string {
  if (attempts.some(({ status }) => status === 'succeeded')) return 'one charge';
  return attempts.some(({ status }) => status === 'pending') ? 'outcome not known yet' : 'no charge';
}

import { Check, CircleQuestionMark } from 'lucide-react';
import Link from 'next/link';
import { formatMoney, type Money } from '#payments/money.ts';
import { buttonStyle } from '../button-style.ts';

export function ReceiptHeading(props: {
  standing: 'paid' | 'pending' | 'open';
  total: Money;
  orderId: string;
  payee: string;
}) {
  const amount = formatMoney(props.total);
  switch (props.standing) {
    case 'paid':
      return (
        <header>
          <span className="grid size-12 place-items-center rounded-full bg-ok text-surface print:hidden">
            <Check className="size-6" strokeWidth={3} aria-hidden="true" />
          </span>
          <h1 className="mt-5 font-semibold text-3xl tracking-[-0.025em] sm:text-4xl print:mt-0">
            Paid once: <span className="money">{amount}</span>
          </h1>
          <p className="mt-2 text-ink-soft">Thank you. {props.payee} has your payment, exactly once.</p>
        </header>
      );
    case 'pending':
      return (
        <div role="status">
          <span className="grid size-12 place-items-center rounded-full bg-unknown-soft text-unknown">
            <CircleQuestionMark className="size-6" aria-hidden="true" />
          </span>
          <h1 className="mt-5 font-semibold text-3xl tracking-[-0.025em] sm:text-4xl">
            Your payment is being checked
          </h1>
          <p className="mt-2 text-ink-soft leading-7">
            The bank has not said yet whether it took {amount}. Do not pay this order another way. This page
            asks by itself and shows the answer as soon as there is one.
          </p>
          <Link href={`/pay/${props.orderId}`} className={`${buttonStyle('secondary')} mt-5`}>
            Back to the payment
          </Link>
        </div>
      );
    case 'open':
      return (
        <header>
          <h1 className="font-semibold text-3xl tracking-[-0.025em] sm:text-4xl">Not paid yet</h1>
          <p className="mt-2 text-ink-soft">Nothing was charged for this order so far.</p>
          <Link href={`/pay/${props.orderId}`} className={`${buttonStyle('primary', 'large')} mt-5`}>
            Go to the payment
          </Link>
        </header>
      );
  }
}

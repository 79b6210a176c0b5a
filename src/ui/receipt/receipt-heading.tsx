import { Check, CircleQuestionMark, CircleSlash2, Undo2 } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Amount } from '#ui/amount.tsx';
import { buttonStyle } from '../button-style.ts';
import { type OrderStatus, refundsOf } from './order-status.ts';

interface Props extends Pick<RouterOutputs['shop']['order'], 'total' | 'number' | 'shop' | 'refunds'> {
  readonly status: OrderStatus;
  readonly payments: readonly Pick<RouterOutputs['shop']['order']['payments'][number], 'status'>[];
  readonly orderId: string;
}

/** The order's status and the next step. An unknown outcome is shown as unknown, and says not to pay another way. */
export function ReceiptHeading(props: Props) {
  const { status, shop, orderId } = props;
  const amount = (
    <span className="money">
      <Amount of={props.total} />
    </span>
  );
  const alsoKept = hasPayment(props, 'kept');
  const toShop = { href: `/s/${shop.slug}`, label: `Back to ${shop.name}` };
  const toPay = { href: `/pay/${orderId}`, label: 'Go to the payment' };
  switch (status) {
    case 'paid':
      return (
        <Head
          mark="ok"
          title={
            <>
              {alsoKept ? 'Paid' : 'Paid once'}: {amount}
            </>
          }
          next={toShop}
        >
          Thank you. {shop.name} has your payment{alsoKept ? '.' : ', exactly once.'}
          <SentBack {...props} />
          <AlsoKept {...props} />
        </Head>
      );
    case 'refunded':
      return (
        <Head mark="back" title={<>Refunded: {amount}</>} next={toShop}>
          {shop.name} has sent all of it back to the card you paid with. Banks take up to ten days to show it.
          <AlsoKept {...props} />
        </Head>
      );
    case 'paid_late':
      return (
        <Head mark="ok" title={<>Paid after it was cancelled: {amount}</>} next={toShop}>
          The payment that was under way when you cancelled went through, once. {shop.name} has been shown it
          and decides about sending it back. To ask, quote {props.number}. Do not pay this order another way.
          <SentBack {...props} />
          <AlsoKept {...props} />
        </Head>
      );
    case 'pending':
      return (
        <Head
          mark="unknown"
          live
          title="Your payment is being checked"
          next={{ ...toPay, label: 'Back to the payment' }}
        >
          The bank has not said yet whether it took {amount}. Please don’t pay again. We are checking with
          your bank and will update this page; you can also close it and open the same address later, on any
          device.
        </Head>
      );
    case 'pending_cancelled':
      return (
        <Head mark="unknown" live title="Cancelled, while a payment is being checked">
          A payment was under way when you cancelled, and the bank has not said yet whether it took {amount}.
          If so, {shop.name} is shown the money and decides about sending it back. This page shows it as soon
          as it is known. Do not pay this order another way.
        </Head>
      );
    case 'under_review':
      return (
        <Head mark="unknown" live title="A payment of this order is being checked by the shop">
          {amount} was charged by a payment that had been given up. {shop.name} decides whether to keep it as
          the payment of this order or to send it back to your card. Please don’t pay again before that. This
          page shows what was decided. To ask, quote {props.number}.
        </Head>
      );
    case 'under_review_cancelled':
      return (
        <Head
          mark="unknown"
          live
          title="Cancelled, while a payment of this order is being checked by the shop"
        >
          {amount} was charged by a payment that had been given up. {shop.name} has been shown the money, and
          decides whether to send it back to your card. This page shows what was decided. To ask, quote{' '}
          {props.number}. Do not pay this order another way.
        </Head>
      );
    case 'overpaid':
      return (
        <Head
          mark="unknown"
          live
          title={<>Paid: {amount}, and another payment is being checked by the shop</>}
          next={toShop}
        >
          {shop.name} has your payment. Another payment of this order, which had been given up, was charged as
          well: the shop has been shown the money, and decides whether to send it back to your card. To ask,
          quote {props.number}.
          <SentBack {...props} />
          <AlsoKept {...props} />
        </Head>
      );
    case 'kept':
      return (
        <Head mark="ok" title={<>Charged: {amount}. Nothing more is due</>} next={toShop}>
          A payment that had been given up was found to be charged, and {shop.name} keeps it as the payment of
          this order. Please don’t pay again. To ask, quote {props.number}.
        </Head>
      );
    case 'cancelled':
      return (
        <Head mark="off" title="Cancelled" next={toShop}>
          <NothingKept {...props}>Nothing was charged for this order.</NothingKept> It cannot be paid any
          more. The shop would be glad to see you again.
        </Head>
      );
    case 'declined':
      return (
        <Head mark="none" title="Not paid yet" next={{ ...toPay, label: 'Pay with another card' }} strong>
          <NothingKept {...props}>The bank declined, and nothing was charged.</NothingKept> The order waits
          for you: {amount} is due.
        </Head>
      );
    case 'open':
      return (
        <Head mark="none" title="Not paid yet" next={toPay} strong>
          <NothingKept {...props}>Nothing was charged for this order so far.</NothingKept> {amount} is due.
        </Head>
      );
  }
}

/** What an order without a payment has cost so far. The text for nothing at all would be wrong after a charge was found. */
function NothingKept(props: Props & { children: ReactNode }) {
  if (hasPayment(props, 'kept')) {
    return `An earlier payment was found to be charged, and ${props.shop.name} keeps it. To ask, quote ${props.number}.`;
  }
  return hasPayment(props, 'sent_back') ? 'An earlier payment was charged, and sent back.' : props.children;
}

/** What the shop keeps besides the payment of the order. */
function AlsoKept(props: Props) {
  if (!hasPayment(props, 'kept')) return null;
  return ` Another payment of this order was found to be charged as well, and ${props.shop.name} keeps it. To ask, quote ${props.number}.`;
}

function hasPayment({ payments }: Props, wanted: Props['payments'][number]['status']): boolean {
  return payments.some(({ status }) => status === wanted);
}

/** How much of a payment has gone back, and how much is on its way. A refund that the bank returned is neither. */
function SentBack({ total, refunds }: Props) {
  const sent = refundsOf({ refunds }, 'succeeded');
  const pending = refundsOf({ refunds }, 'pending');
  const of = (amountMinor: number) => (
    <span className="money">
      <Amount of={{ ...total, amountMinor }} />
    </span>
  );
  return (
    <>
      {sent > 0 && <> Of this, {of(sent)} was sent back to your card.</>}
      {pending > 0 && <> A refund of {of(pending)} is being sent back.</>}
    </>
  );
}

const marks = {
  ok: { Icon: Check, style: 'bg-ok text-surface' },
  back: { Icon: Undo2, style: 'bg-ok-soft text-ok' },
  unknown: { Icon: CircleQuestionMark, style: 'bg-unknown-soft text-unknown' },
  off: { Icon: CircleSlash2, style: 'bg-sunken text-ink-soft dark:bg-surface' },
} as const;

function Head(props: {
  mark: keyof typeof marks | 'none';
  title: ReactNode;
  children: ReactNode;
  next?: { href: string; label: string };
  strong?: boolean;
  /** Announced to screen readers when it changes. */
  live?: boolean;
}) {
  const mark = props.mark === 'none' ? undefined : marks[props.mark];
  return (
    <div role={props.live ? 'status' : undefined} className="wrap-anywhere">
      {mark && (
        <span className={`mb-5 grid size-12 place-items-center rounded-full print:hidden ${mark.style}`}>
          <mark.Icon className="size-6" strokeWidth={2.5} aria-hidden="true" />
        </span>
      )}
      <h1
        tabIndex={-1}
        className="font-semibold text-3xl tracking-[-0.025em] outline-none sm:text-4xl print:text-2xl"
      >
        {props.title}
      </h1>
      <p className="mt-2 max-w-[58ch] text-ink-soft leading-7 print:leading-5">{props.children}</p>
      {props.next && (
        <Link
          href={props.next.href}
          className={`${buttonStyle(props.strong ? 'primary' : 'secondary', props.strong ? 'large' : 'medium')} mt-5 print:hidden`}
        >
          <span className="min-w-0">{props.next.label}</span>
        </Link>
      )}
    </div>
  );
}

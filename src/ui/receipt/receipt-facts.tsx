import type { ReactNode } from 'react';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Moment } from './moment.tsx';

export function ReceiptFacts(props: {
  order: { readonly number: string; readonly createdAt: string; readonly cancelledAt: string | null };
  payment:
    | {
        readonly receiptNumber: number | null;
        readonly chargeId: string | null;
        readonly completedAt: string | null;
      }
    | undefined;
  /** Where the receipt is sent. */
  receipt: RouterOutputs['shop']['order']['receipt'];
}) {
  const { order, payment } = props;
  return (
    <dl className="mt-6 grid gap-x-8 text-sm sm:grid-cols-2 print:mt-4 print:grid-cols-2">
      <Fact name="Order">
        <span className="font-mono">{order.number}</span>
      </Fact>
      <Fact name="Ordered">
        <Moment at={order.createdAt} />
      </Fact>
      {order.cancelledAt && (
        <Fact name="Cancelled">
          <Moment at={order.cancelledAt} />
        </Fact>
      )}
      {payment && (
        <>
          <Fact name="Receipt">
            {payment.receiptNumber === null ? (
              <span className="text-ink-faint">is being issued…</span>
            ) : (
              <span className="font-mono">No. {payment.receiptNumber}</span>
            )}
            {props.receipt && (
              <span className="wrap-anywhere block text-ink-soft">
                {deliveryCopy[props.receipt.status](props.receipt.to)}
              </span>
            )}
          </Fact>
          <Fact name="Paid">{payment.completedAt && <Moment at={payment.completedAt} />}</Fact>
        </>
      )}
    </dl>
  );
}

const deliveryCopy = {
  sent: (to: string) => `Sent to ${to}`,
  queued: (to: string) => `On its way to ${to}`,
  kept: (to: string) => `For ${to}. This shop sends no e-mails.`,
  failed: (to: string) => `Could not be sent to ${to}. Print this page instead.`,
};

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-line border-b py-3 sm:block print:block print:py-1.5">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0 text-right sm:mt-0.5 sm:text-left print:text-left">{children}</dd>
    </div>
  );
}

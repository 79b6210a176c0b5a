import type { ReactNode } from 'react';
import { Moment } from '../moment.tsx';

export function ReceiptFacts(props: {
  number: string;
  orderedAt: string;
  payment:
    | {
        readonly receiptNumber: number | null;
        readonly chargeId: string | null;
        readonly settledAt: string | null;
      }
    | undefined;
}) {
  const { payment } = props;
  return (
    <dl className="mt-6 grid gap-x-8 text-sm sm:grid-cols-2">
      <Fact name="Order">
        <span className="font-mono">{props.number}</span>
      </Fact>
      <Fact name="Ordered">
        <Moment at={props.orderedAt} />
      </Fact>
      {payment && (
        <>
          <Fact name="Receipt">
            {payment.receiptNumber === null ? (
              <span className="text-ink-faint">is being issued…</span>
            ) : (
              <span className="font-mono">No. {payment.receiptNumber}</span>
            )}
          </Fact>
          <Fact name="Paid">{payment.settledAt && <Moment at={payment.settledAt} />}</Fact>
          <Fact name="Charge">
            <span className="break-all font-mono">{payment.chargeId ?? 'not named'}</span>
          </Fact>
        </>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex justify-between gap-4 border-line border-b py-3 sm:block">
      <dt className="text-ink-faint">{name}</dt>
      <dd className="text-right sm:mt-0.5 sm:text-left">{children}</dd>
    </div>
  );
}

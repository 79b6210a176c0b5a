import Link from 'next/link';
import type { ReactNode } from 'react';
import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { CardHeading, CardTable, cardCell, cardLink, cardRow } from '#ui/admin/card-table.tsx';
import { When } from '#ui/admin/when.tsx';

const reasons: Record<string, string> = {
  order_cancelled: 'The order had been cancelled when the payment turned out to have succeeded.',
  charged_after_release: 'It was charged after its key had been released; it is in no books.',
  refund_failed: 'It had been paid back, and the shopper’s bank returned it: the shopper does not have it.',
};

export type ReconciliationException = RouterOutputs['exceptions']['list']['exceptions'][number];

export function ExceptionRows(props: {
  exceptions: readonly ReconciliationException[];
  action: (one: ReconciliationException) => ReactNode;
}) {
  return (
    <CardTable
      caption="Late truths, newest first"
      head={
        <>
          <CardHeading className="w-52 pl-5">Reference</CardHeading>
          <CardHeading className="w-28 text-right">Amount</CardHeading>
          <CardHeading>What happened</CardHeading>
          <CardHeading className="w-32">Found</CardHeading>
          <CardHeading className="w-72 pr-5">Decision</CardHeading>
        </>
      }
    >
      {props.exceptions.map((one) => (
        <tr key={one.id} className={`${cardRow} grid-cols-[minmax(0,1fr)_auto] gap-x-4 pl-5`}>
          <td className={`${cardCell} lg:pl-5`}>
            <Link href={`/admin/operations/${one.operationId}`} data-row-link className={cardLink}>
              <span className="truncate" title={one.reference}>
                {one.reference}
              </span>
            </Link>
          </td>
          <td className={`${cardCell} money text-right font-medium`}>{formatMoney(one.amount)}</td>
          <td className={`${cardCell} text-ink-soft max-lg:col-span-2`}>
            {reasons[one.reason] ?? one.reason}
          </td>
          <td className={`${cardCell} text-ink-soft max-lg:col-span-2`}>
            <span className="lg:sr-only">Found </span>
            <When at={one.foundAt} />
          </td>
          <td className={`${cardCell} max-lg:col-span-2 max-lg:mt-2 lg:pr-5`}>
            {one.status === 'open' ? props.action(one) : <Decided {...one} />}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

function Decided({ status, returned, decisionReason }: ReconciliationException) {
  return (
    <>
      {status === 'refunded' ? 'Refunded' : returned ? 'Settled otherwise' : 'Kept'}
      {decisionReason && <span className="block break-words text-ink-faint text-xs">“{decisionReason}”</span>}
    </>
  );
}

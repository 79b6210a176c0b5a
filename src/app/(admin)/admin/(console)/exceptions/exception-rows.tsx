import type { ReactNode } from 'react';
import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { CardHeading, CardTable, cardCell, cardLink, cardRow } from '#ui/admin/card-table.tsx';
import { decisionCopy } from '#ui/admin/exception-copy.ts';
import { Link } from '#ui/admin/link.tsx';
import { When } from '#ui/admin/when.tsx';

const reasons: Record<string, string> = {
  order_cancelled: 'The payment succeeded after the order was cancelled.',
  charged_after_release: 'It was charged after it had been resolved as not charged; it is not booked.',
  record_lost: 'It was charged, but our database did not have it; it is not booked.',
  refunded_after_release: 'It was paid back after it had been resolved as not paid back; it is not booked.',
  charge_denied: 'It was booked as charged; the provider says now that it was not.',
  assertion_denied: 'It was booked because an operator said so; the provider says that it did not happen.',
  refund_failed: 'The shopper’s bank returned the refund: the shopper does not have the money.',
  refund_not_returned:
    'The shopper’s bank had returned the refund; the provider says now that it was paid after all. Check that the shopper was not paid twice.',
};

const refundReasons: Partial<Record<string, string>> = {
  record_lost: 'It was paid back, but our database did not have it; it is not booked.',
};

export type ReconciliationException = RouterOutputs['exceptions']['list']['exceptions'][number];

export function ExceptionRows(props: {
  exceptions: readonly ReconciliationException[];
  action: (one: ReconciliationException) => ReactNode;
}) {
  return (
    <CardTable
      caption="Unexpected payments, newest first"
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
          <td className={`${cardCell} text-ink-soft max-lg:col-span-2`}>{whatHappened(one)}</td>
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

function whatHappened({ reason, ofRefund, status, refundedSince }: ReconciliationException): string {
  if (reason === 'refund_failed' && (status !== 'open' || refundedSince.amountMinor > 0))
    return refundedSince.amountMinor === 0
      ? 'The shopper’s bank returned the refund.'
      : `The shopper’s bank returned the refund. Since then ${formatMoney(refundedSince)} of the payment was refunded otherwise.`;
  return (ofRefund && refundReasons[reason]) || reasons[reason] || reason;
}

function Decided({ decisionReason, decidedByPerson, ...exception }: ReconciliationException) {
  return (
    <>
      {decisionCopy(exception)}
      {decisionReason && (
        <span className="block break-words text-ink-faint text-xs">
          {decidedByPerson ? `“${decisionReason}”` : decisionReason}
        </span>
      )}
    </>
  );
}

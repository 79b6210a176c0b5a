import { formatMoney } from '#payments/money.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { CardHeading, CardTable, cardCell, cardLink, cardRow } from '#ui/admin/card-table.tsx';
import { Link } from '#ui/admin/link.tsx';
import { PaymentBadge } from '#ui/admin/payment-badge.tsx';
import { When } from '#ui/admin/when.tsx';

type Row = RouterOutputs['payment']['list']['payments'][number];

export function PaymentRows({ rows }: { rows: readonly Row[] }) {
  return (
    <CardTable
      caption="Payments. Newest first."
      head={
        <>
          <CardHeading className="w-56 lg:pl-5">Order</CardHeading>
          <CardHeading>Customer</CardHeading>
          <CardHeading className="w-32 text-right">Amount</CardHeading>
          <CardHeading className="w-40">Status</CardHeading>
          <CardHeading className="w-44">Card</CardHeading>
          <CardHeading className="w-32 text-right lg:pr-5">Date</CardHeading>
        </>
      }
    >
      {rows.map((row) => (
        <tr
          key={row.id}
          data-payment={row.id}
          className={`${cardRow} grid-cols-[minmax(0,1fr)_auto] gap-x-4 pl-5`}
        >
          <td className={`${cardCell} min-w-0 lg:pl-5`}>
            <Link href={`/admin/payments/${row.id}`} data-row-link className={cardLink}>
              <span className="truncate" title={row.reference}>
                {row.reference}
              </span>
            </Link>
          </td>
          <td className={`${cardCell} truncate text-ink-soft max-lg:order-3`} title={row.email ?? undefined}>
            {row.email ?? '–'}
          </td>
          <td className={`${cardCell} money text-right font-medium`}>
            {formatMoney(row.amount)}
            {row.refunded.amountMinor > 0 && (
              <span className="block font-normal text-ink-faint text-xs">−{formatMoney(row.refunded)}</span>
            )}
          </td>
          <td className={`${cardCell} max-lg:order-1`}>
            <PaymentBadge outcome={row.outcome} inPart={isInPart(row)} />
          </td>
          <td className={`${cardCell} whitespace-nowrap text-ink-soft max-lg:order-4 max-lg:text-right`}>
            {row.card && (
              <>
                <span className="capitalize">{row.card.brand}</span> •••• {row.card.last4}
              </>
            )}
          </td>
          <td className={`${cardCell} text-right text-ink-soft max-lg:order-2 lg:pr-5`}>
            <When at={row.createdAt} />
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

export function isInPart(payment: Pick<Row, 'amount' | 'refunded'>): boolean {
  const { amountMinor } = payment.refunded;
  return amountMinor > 0 && amountMinor < payment.amount.amountMinor;
}

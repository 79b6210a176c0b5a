import Link from 'next/link';
import type { ReactNode } from 'react';
import { formatMoney, type Money } from '#payments/money.ts';
import { Age } from './age.tsx';
import { codeWords } from './code-words.ts';
import { type OperationStatus, StatusBadge } from './status-badge.tsx';

export interface OperationRow {
  readonly id: string;
  readonly status: OperationStatus;
  readonly attempt: number;
  readonly key: string;
  readonly errorCode: string | null;
  /** The automatic checks are used up: it is in the operators' queue. */
  readonly escalated: boolean;
  readonly createdAt: string;
  readonly payment: { readonly reference: string; readonly amount: Money } | null;
}

const heading = 'px-4 py-3 text-left font-medium text-ink-faint text-xs first:pl-5 last:pr-5';
const cell = 'px-4 py-3.5 align-baseline first:pl-5 last:pr-5';

/** A table where there is room, a list of cards on a phone: the same cells, laid out by CSS. */
export function OperationRows(props: {
  rows: readonly OperationRow[];
  now: number;
  action: (row: OperationRow) => ReactNode;
}) {
  return (
    <div className="mt-6 overflow-x-auto rounded-2xl border border-line bg-surface shadow-card">
      <table className="w-full text-sm">
        <caption className="sr-only">Operations, newest first</caption>
        <thead className="hidden border-line border-b lg:table-header-group">
          <tr>
            <th scope="col" className={heading}>
              Reference
            </th>
            <th scope="col" className={`${heading} text-right`}>
              Amount
            </th>
            <th scope="col" className={heading}>
              Status
            </th>
            <th scope="col" className={heading}>
              Why
            </th>
            <th scope="col" className={heading}>
              Age
            </th>
            <th scope="col" className={heading}>
              Attempt
            </th>
            <th scope="col" className={heading}>
              Resolve
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr
              key={row.id}
              data-operation={row.id}
              className="grid grid-cols-[1fr_auto] border-line border-b last:border-b-0 lg:table-row"
            >
              <td className={`${cell} pl-5`}>
                <Link
                  href={`/admin/operations/${row.id}`}
                  className="-my-3 inline-flex min-h-11 items-center whitespace-nowrap font-medium font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-4 hover:decoration-accent"
                >
                  <span className="max-w-[24ch] truncate" title={row.payment?.reference}>
                    {row.payment?.reference ?? `key ${row.key}`}
                  </span>
                </Link>
              </td>
              <td className={`${cell} money text-right font-medium max-lg:pr-5`}>
                {row.payment ? formatMoney(row.payment.amount) : '–'}
              </td>
              <td className={`${cell} max-lg:pt-0 max-lg:pl-5`}>
                <StatusBadge status={row.status} />
              </td>
              <td
                className={`${cell} text-ink-soft max-lg:order-1 max-lg:col-span-2 max-lg:pt-0 max-lg:pl-5`}
              >
                {row.errorCode && row.status !== 'completed' ? (
                  codeWords(row.errorCode)
                ) : (
                  <span className="text-ink-faint max-lg:hidden">–</span>
                )}
                {row.escalated && (
                  <strong className="block font-medium text-unknown">
                    The automatic checks are used up: a person has to look.
                  </strong>
                )}
              </td>
              <td className={`${cell} text-right text-ink-soft max-lg:pt-0 max-lg:pr-5 lg:text-left`}>
                <Age at={row.createdAt} now={props.now} />
              </td>
              <td className={`${cell} text-ink-soft tabular-nums max-lg:hidden`}>{row.attempt}</td>
              <td
                className={`${cell} max-lg:order-2 max-lg:col-span-2 max-lg:pt-0 max-lg:pl-5 empty:max-lg:hidden`}
              >
                {props.action(row)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

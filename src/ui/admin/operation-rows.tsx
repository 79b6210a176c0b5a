import type { MouseEvent, ReactNode } from 'react';
import { formatMoney } from '#payments/money.ts';
import { findCopy } from '#payments/operations/copy.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';
import { Age } from './age.tsx';
import { CardHeading, CardTable, cardCell, cardLink, cardRow } from './card-table.tsx';
import { codeCopy } from './code-copy.ts';
import { Link } from './link.tsx';
import { outcomeCopy } from './operation-copy.ts';
import { StatusBadge } from './status-badge.tsx';

/** A row of the list of operations. */
export type ListedRow = RouterOutputs['operations']['list']['operations'][number];

export function OperationRows(props: {
  rows: readonly ListedRow[];
  caption: string;
  now: number;
  selected: ReadonlySet<string>;
  /** Undefined: there is nothing that the person may do with selected rows. */
  onSelect: ((ids: readonly string[], on: boolean) => void) | undefined;
  /** By tenant, in a list of several shops. */
  shopNames?: ReadonlyMap<string, string> | undefined;
  changed: ReadonlySet<string>;
  onOpen?: ((row: ListedRow, event: MouseEvent) => void) | undefined;
  action: (row: ListedRow) => ReactNode;
}) {
  const { onSelect } = props;
  const ids = props.rows.map(({ id }) => id);
  const all = ids.length > 0 && ids.every((id) => props.selected.has(id));
  return (
    <CardTable
      caption={props.caption}
      head={
        <>
          {onSelect && (
            <th scope="col" className="w-12 pl-4 text-left">
              <Tick label="Select every row" checked={all} onChange={(on) => onSelect(ids, on)} />
            </th>
          )}
          <CardHeading className={onSelect ? 'w-48' : 'w-60 pl-5'}>Reference</CardHeading>
          <CardHeading className="w-28 text-right">Amount</CardHeading>
          <CardHeading className="w-36">Status</CardHeading>
          <CardHeading>Why</CardHeading>
          <CardHeading className="w-20 text-right">Age</CardHeading>
          <CardHeading className="w-14 text-right">Tries</CardHeading>
          <CardHeading className="w-60 pr-5">Resolve</CardHeading>
        </>
      }
    >
      {props.rows.map((row) => (
        <tr
          key={row.id}
          data-operation={row.id}
          data-selected={props.selected.has(row.id) || undefined}
          className={`group/row ${cardRow} ${onSelect ? 'grid-cols-[2.75rem_minmax(0,1fr)_auto] pl-2' : 'grid-cols-[0_minmax(0,1fr)_auto] pl-5'} data-selected:bg-accent-soft`}
        >
          {onSelect && (
            <td className="row-span-4 align-baseline lg:pl-4">
              <Tick
                label={`Select ${nameOf(row)}`}
                checked={props.selected.has(row.id)}
                onChange={(on) => onSelect([row.id], on)}
              />
            </td>
          )}
          <td className={`${cardCell} ${onSelect ? '' : 'max-lg:col-start-2 lg:pl-5'}`}>
            <Link
              href={`/admin/operations/${row.id}`}
              data-row-link
              onClick={(event) => props.onOpen?.(row, event)}
              className={cardLink}
            >
              <span className="truncate" title={row.payment?.reference}>
                {nameOf(row)}
              </span>
            </Link>
            <Marks row={row} shopName={props.shopNames?.get(row.tenantId)} />
          </td>
          <td className={`${cardCell} money text-right font-medium`}>
            {row.payment ? formatMoney(row.payment.amount) : '–'}
          </td>
          <td className={`${cardCell} max-lg:col-start-2`}>
            <StatusBadge status={row.status} operation={row.operation} outcome={row.payment?.status} />
            {props.changed.has(row.id) && <Changed />}
          </td>
          <td
            className={`${cardCell} text-ink-soft max-lg:order-1 max-lg:col-span-2 max-lg:col-start-2 max-lg:empty:hidden`}
          >
            <Why row={row} />
          </td>
          <td className={`${cardCell} text-right text-ink-soft`}>
            <Age at={row.createdAt} now={props.now} />
          </td>
          <td className={`${cardCell} text-right text-ink-soft tabular-nums max-lg:hidden`}>{row.attempt}</td>
          <td
            className={`${cardCell} max-lg:order-2 max-lg:col-span-2 max-lg:col-start-2 max-lg:empty:hidden lg:pr-5`}
          >
            {props.action(row)}
          </td>
        </tr>
      ))}
    </CardTable>
  );
}

/** Beside the badge, positioned absolutely so that nothing moves. */
function Changed() {
  return (
    <span className="relative">
      <span aria-hidden="true" className="absolute top-1.5 left-1 size-2 rounded-full bg-accent" />
      <span className="sr-only">, changed</span>
    </span>
  );
}

function nameOf(row: ListedRow): string {
  return row.payment?.reference ?? `key ${row.key}`;
}

function Marks({ row, shopName }: { row: ListedRow; shopName: string | undefined }) {
  const marks = [
    findCopy(row.operation)?.mark,
    shopName,
    row.misuses > 0 ? `key misused ${row.misuses}×` : undefined,
  ].filter((mark) => typeof mark === 'string');
  if (marks.length === 0) return null;
  return <span className="block text-ink-faint text-xs">{marks.join(' · ')}</span>;
}

function Why({ row }: { row: ListedRow }) {
  if (row.status === 'completed') return row.payment?.declineCode ? codeCopy(row.payment.declineCode) : null;
  if (row.status === 'expired') return row.payment ? outcomeCopy(row.payment.status, row.operation) : null;
  return (
    <>
      {row.errorCode && codeCopy(row.errorCode, row.operation)}
      {row.escalated && (
        <strong className="block font-medium text-unknown">
          The automatic checks are used up: a person has to check it.
        </strong>
      )}
    </>
  );
}

/** The label is a touch target of 44 px around a smaller box. */
function Tick(props: { label: string; checked: boolean; onChange: (on: boolean) => void }) {
  return (
    <label className="-my-3 inline-flex size-11 items-center justify-center lg:-ml-3">
      <span className="sr-only">{props.label}</span>
      <input
        type="checkbox"
        checked={props.checked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
        className="size-4 accent-accent"
      />
    </label>
  );
}

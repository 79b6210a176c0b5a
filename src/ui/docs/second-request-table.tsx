import Link from 'next/link';
import { StatusChip } from './response-list.tsx';

export interface SecondRequestRow {
  readonly found: string;
  readonly status: string;
  readonly code?: string | undefined;
  readonly response: string;
  readonly next: string;
}

const cell = 'px-4 py-3.5 align-baseline first:pl-5 last:pr-5';
const heading = 'px-4 py-3 text-left font-medium text-ink-faint text-xs first:pl-5 last:pr-5';

/** A table on wide screens and cards on a phone, by CSS alone. */
export function SecondRequestTable({ rows }: { rows: readonly SecondRequestRow[] }) {
  return (
    <div className="mt-5 overflow-hidden rounded-2xl border border-line bg-surface shadow-card">
      <table className="w-full text-sm">
        <caption className="sr-only">What a repeated request gets</caption>
        <thead className="hidden border-line border-b md:table-header-group">
          <tr>
            <th scope="col" className={heading}>
              What the key finds
            </th>
            <th scope="col" className={heading}>
              Answer
            </th>
            <th scope="col" className={heading}>
              What happens
            </th>
            <th scope="col" className={heading}>
              What you do
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={row.found}
              className="grid border-line border-b py-2 last:border-b-0 max-md:*:px-5 max-md:*:py-1.5 md:table-row"
            >
              <th scope="row" className={`${cell} text-left font-medium`}>
                {row.found}
              </th>
              <td className={cell}>
                <span className="flex flex-wrap items-center gap-x-2">
                  <StatusChip status={row.status} />
                  {row.code && (
                    <Link
                      href={`/problems/${row.code}`}
                      className="inline-flex min-h-11 items-center whitespace-nowrap font-mono text-xs underline decoration-line-strong underline-offset-4 hover:decoration-accent pointer-fine:min-h-6"
                    >
                      {row.code}
                    </Link>
                  )}
                </span>
              </td>
              <td className={`${cell} text-ink-soft`}>{row.response}</td>
              <td className={`${cell} text-ink-soft`}>{row.next}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

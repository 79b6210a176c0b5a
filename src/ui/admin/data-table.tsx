import type { ReactNode } from 'react';

export interface DataRow {
  readonly key: string;
  /** One for each heading; null where there is nothing to show. */
  readonly cells: readonly ReactNode[];
}

/**
 * A plain table in the console's style. On a phone each row is a card: its first cell, and below it every other cell
 * beside its heading.
 */
export function DataTable(props: {
  caption: string;
  headings: readonly string[];
  empty: string;
  rows: readonly DataRow[];
}) {
  if (props.rows.length === 0) return <EmptyList className="mt-6">{props.empty}</EmptyList>;
  return (
    <section
      aria-label={props.caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative mt-6 overflow-x-auto rounded-2xl border border-line bg-surface shadow-card"
    >
      <table className="w-full text-sm max-lg:block">
        <caption className="sr-only">{props.caption}</caption>
        <TableHead headings={props.headings} className="max-lg:hidden" />
        <tbody className="max-lg:block">
          {props.rows.map((row) => (
            <tr
              key={row.key}
              className="border-line border-b last:border-b-0 max-lg:grid max-lg:gap-1.5 max-lg:px-5 max-lg:py-4"
            >
              {row.cells.map((cell, column) => (
                <Cell key={props.headings[column]} heading={column > 0 ? props.headings[column] : undefined}>
                  {cell}
                </Cell>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** In a card the first cell has no heading, and an empty one is not shown. */
function Cell({ heading, children }: { heading: string | undefined; children: ReactNode }) {
  const isEmpty = children === null || children === undefined || children === false;
  const line = heading ? 'max-lg:grid' : 'max-lg:block';
  return (
    <td
      className={`align-baseline max-lg:grid-cols-[6.5rem_minmax(0,1fr)] max-lg:items-baseline max-lg:gap-x-3 lg:px-4 lg:py-3.5 lg:first:pl-5 lg:last:pr-5 ${isEmpty ? 'max-lg:hidden' : line}`}
    >
      {heading && <span className="text-ink-faint text-xs lg:hidden">{heading}</span>}
      {/* Only a card needs a box of its own for it. */}
      <div className="min-w-0 break-words lg:contents">{children}</div>
    </td>
  );
}

export function EmptyList({ className = '', children }: { className?: string; children: ReactNode }) {
  return (
    <p
      className={`rounded-2xl border border-line border-dashed px-5 py-10 text-center text-ink-soft ${className}`}
    >
      {children}
    </p>
  );
}

export function TableHead(props: { headings: readonly string[]; className?: string }) {
  return (
    <thead className={`border-line border-b ${props.className ?? ''}`}>
      <tr>
        {props.headings.map((heading) => (
          <th
            key={heading}
            scope="col"
            className="whitespace-nowrap px-4 py-3 text-left font-medium text-ink-faint text-xs first:pl-5 last:pr-5"
          >
            {heading}
          </th>
        ))}
      </tr>
    </thead>
  );
}

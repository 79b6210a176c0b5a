import type { ReactNode } from 'react';

/** A plain table in the console's clothes; it scrolls sideways on its own where there is no room. */
export function DataTable(props: {
  caption: string;
  headings: readonly string[];
  empty: string;
  children: readonly ReactNode[];
}) {
  if (props.children.length === 0) return <EmptyList className="mt-6">{props.empty}</EmptyList>;
  return (
    <section
      aria-label={props.caption}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative mt-6 overflow-x-auto rounded-2xl border border-line bg-surface shadow-card"
    >
      <table className="w-full text-sm">
        <caption className="sr-only">{props.caption}</caption>
        <TableHead headings={props.headings} />
        <tbody>{props.children}</tbody>
      </table>
    </section>
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

export function TableHead({ headings }: { headings: readonly string[] }) {
  return (
    <thead className="border-line border-b">
      <tr>
        {headings.map((word) => (
          <th
            key={word}
            scope="col"
            className="whitespace-nowrap px-4 py-3 text-left font-medium text-ink-faint text-xs first:pl-5 last:pr-5"
          >
            {word}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function DataRow({ children }: { children: readonly ReactNode[] }) {
  return (
    <tr className="border-line border-b last:border-b-0">
      {children.map((cell, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
        <td key={column} className="px-4 py-3.5 align-baseline first:pl-5 last:pr-5">
          {cell}
        </td>
      ))}
    </tr>
  );
}

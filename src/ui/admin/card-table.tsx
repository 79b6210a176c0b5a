import type { ReactNode } from 'react';

const heading = 'px-3 py-2.5 text-left font-medium text-ink-faint text-xs';
/** The style of every cell. On a phone its row's grid places it. */
export const cardCell = 'px-3 py-2.5 align-baseline max-lg:p-0';
/** The style of every row; each list adds the columns of its card. */
export const cardRow =
  'grid gap-y-1 border-line border-b py-3.5 pr-5 last:border-b-0 focus-within:bg-sunken lg:table-row';
/** The link of a row: a touch target of 44 px that does not make the row higher. Its focus ring lies inside, around the letters. */
export const cardLink =
  '-my-3 -mx-2 inline-flex min-h-11 max-w-[calc(100%+1rem)] items-center rounded-md px-2 -outline-offset-6 whitespace-nowrap font-medium font-mono text-[0.8125rem] underline decoration-line-strong underline-offset-4 hover:decoration-accent';

/** A table on wide screens, a list of cards on a phone: the same cells, laid out by CSS. */
export function CardTable(props: { caption: string; head: ReactNode; children: ReactNode }) {
  return (
    <div className="overflow-x-auto rounded-2xl border border-line bg-surface shadow-card">
      <table className="w-full text-sm lg:table-fixed">
        <caption className="sr-only">{props.caption}</caption>
        <thead className="hidden border-line border-b lg:table-header-group">
          <tr>{props.head}</tr>
        </thead>
        <tbody>{props.children}</tbody>
      </table>
    </div>
  );
}

export function CardHeading({ className = '', children }: { className?: string; children: ReactNode }) {
  return (
    <th scope="col" className={`${heading} ${className}`}>
      {children}
    </th>
  );
}

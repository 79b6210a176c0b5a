import type { ReactNode } from 'react';

export function ReceiptSection(props: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={props.id} className="mt-10 print:mt-5">
      <h2 id={props.id} className="font-semibold tracking-tight">
        {props.title}
      </h2>
      <div className="mt-3 print:mt-1.5">{props.children}</div>
    </section>
  );
}

/** One event. The shape of its icon has the same meaning as the colour. */
export function ReceiptEvent(props: { mark: ReactNode; style: string; at: ReactNode; children: ReactNode }) {
  return (
    <li className="flex gap-3 text-sm leading-7">
      <span className={`grid size-7 shrink-0 place-items-center rounded-full print:hidden ${props.style}`}>
        {props.mark}
      </span>
      <span className="min-w-0 flex-1 sm:flex sm:justify-between sm:gap-6 print:flex print:justify-between print:gap-6">
        <span className="block min-w-0">{props.children}</span>
        <span className="block shrink-0 whitespace-nowrap text-ink-faint max-sm:-mt-1">{props.at}</span>
      </span>
    </li>
  );
}

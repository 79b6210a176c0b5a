import { type ReactNode, useId } from 'react';

/** A section of a page with its heading; `bare` is for content with a card of its own, such as a table. */
export function Panel(props: { title: string; aside?: ReactNode; bare?: boolean; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mt-8 first:mt-0">
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 id={id} className="font-semibold text-lg tracking-tight">
          {props.title}
        </h2>
        {props.aside && <p className="text-ink-faint text-sm">{props.aside}</p>}
      </div>
      {props.bare ? (
        props.children
      ) : (
        <div className="rounded-2xl border border-line bg-surface px-5 py-5 text-sm shadow-card">
          {props.children}
        </div>
      )}
    </section>
  );
}

/** A list of names and values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-5 gap-y-2.5">{children}</dl>;
}

export function Fact({
  name,
  mono = false,
  children,
}: {
  name: string;
  mono?: boolean;
  children: ReactNode;
}) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className={mono ? 'break-all font-mono text-[0.8125rem] leading-5' : 'break-words'}>{children}</dd>
    </>
  );
}

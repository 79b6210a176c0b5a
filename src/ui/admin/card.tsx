import type { ReactNode } from 'react';

export function PageHeading({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <>
      <h1 className="font-semibold text-2xl tracking-[-0.02em] sm:text-3xl">{title}</h1>
      {children && <p className="mt-1 max-w-[65ch] text-ink-soft">{children}</p>}
    </>
  );
}

/** A section of a page in a card of its own. */
export function Card(props: { title: string; intro?: ReactNode; children: ReactNode; id?: string }) {
  return (
    <section
      aria-labelledby={props.id}
      className="mt-6 rounded-2xl border border-line bg-surface p-5 shadow-card sm:p-6"
    >
      <h2 id={props.id} className="font-semibold text-lg">
        {props.title}
      </h2>
      {props.intro && <p className="mt-1 max-w-[65ch] text-ink-soft text-sm leading-6">{props.intro}</p>}
      <div className="mt-5">{props.children}</div>
    </section>
  );
}

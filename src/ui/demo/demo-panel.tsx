import { ChevronDown, FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';

/** Collapsible, to see the shop as a shopper does. Open from the first paint, also without JavaScript. */
export function DemoPanel(props: { title: string; intro: string; children: ReactNode }) {
  return (
    <section aria-labelledby="demo-title" data-demo-bar className="mx-auto max-w-xl lg:max-w-none">
      <details open className="group">
        <summary className="flex min-h-14 items-center gap-3 px-5 py-3 -outline-offset-2 hover:bg-sunken sm:px-8 lg:px-6">
          <FlaskConical className="size-5 shrink-0 text-accent-ink" aria-hidden="true" />
          <h2 id="demo-title" className="flex-1 font-semibold tracking-tight">
            {props.title}
          </h2>
          <span className="rounded-full bg-accent-soft px-2.5 py-0.5 font-medium text-accent-ink text-xs">
            Demo
          </span>
          <ChevronDown
            className="size-4.5 text-ink-faint transition-transform group-open:rotate-180"
            aria-hidden="true"
          />
        </summary>
        <div className="grid grid-cols-1 gap-5 px-5 pb-8 sm:px-8 lg:px-6">
          <p className="text-ink-soft text-sm leading-5.5">{props.intro}</p>
          {props.children}
        </div>
      </details>
    </section>
  );
}

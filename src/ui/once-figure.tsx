import { Check, MousePointerClick } from 'lucide-react';

const taps = ['Tap', 'Tap again', 'Reload, tap'] as const;

/** Several clicks, one idempotency key, one charge. */
export function OnceFigure() {
  return (
    <figure className="rounded-3xl border border-line bg-surface p-5 shadow-card sm:p-8">
      <div className="grid grid-cols-[auto_1fr_auto] items-center gap-x-3 sm:gap-x-5">
        <ul className="grid gap-3">
          {taps.map((name) => (
            <li
              key={name}
              className="flex h-11 items-center gap-2 rounded-full bg-sunken pr-4 pl-3 font-medium text-sm"
            >
              <MousePointerClick className="size-4 text-accent-ink" aria-hidden="true" />
              {name}
            </li>
          ))}
        </ul>
        <svg viewBox="0 0 100 156" className="h-39 w-full" preserveAspectRatio="none" aria-hidden="true">
          <g fill="none" className="stroke-accent" strokeWidth="2" vectorEffect="non-scaling-stroke">
            <path d="M0 22C60 22 40 78 100 78" vectorEffect="non-scaling-stroke" />
            <path d="M0 78H100" vectorEffect="non-scaling-stroke" />
            <path d="M0 134C60 134 40 78 100 78" vectorEffect="non-scaling-stroke" />
          </g>
        </svg>
        <div className="rounded-2xl bg-ok-soft px-4 py-5 text-center text-ok sm:px-6">
          <span className="mx-auto grid size-9 place-items-center rounded-full bg-ok text-surface">
            <Check className="size-5" strokeWidth={3} aria-hidden="true" />
          </span>
          <p className="money mt-3 font-semibold text-xl">€14.50</p>
          <p className="font-medium text-sm">charged once</p>
        </div>
      </div>
      <figcaption className="mt-6 border-line border-t pt-4 text-ink-soft text-sm leading-6">
        Every tap carries the same key, <code className="font-mono text-ink">7f3a91c2…</code>, so the server
        knows it is one payment. The first tap is executed; the others get its answer.
      </figcaption>
    </figure>
  );
}

'use client';

import { usePathname } from 'next/navigation';
import { type ReactNode, useEffect, useRef } from 'react';
import { consoleSections } from './console-sections.ts';
import { Link } from './link.tsx';

export type SectionCounts = Partial<
  Record<
    (typeof consoleSections)[number]['href'],
    { readonly count: number; readonly what: string; readonly urgent?: boolean }
  >
>;

/**
 * The sections of the console in one row, which leaves the width to the tables. All of them fit 1280 pixels, with their
 * counts; on a narrower screen the row scrolls, and the current section is scrolled into view. An operation's own page belongs to the operations. `children` are shown at
 * the end.
 */
export function ConsoleNav({
  counts,
  children,
}: {
  counts?: SectionCounts | undefined;
  children?: ReactNode;
}) {
  const path = usePathname();
  const current = consoleSections.findLast(({ href }) =>
    href === '/admin' ? path === href : path === href || path.startsWith(`${href}/`),
  )?.href;
  const row = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another section is another position to scroll to
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>('[aria-current=page]');
    if (here && row.current) row.current.scrollLeft = here.offsetLeft - row.current.clientWidth / 3;
  }, [current]);
  return (
    <div className="border-line border-t">
      <div className="mx-auto flex max-w-7xl items-center gap-2 pr-3 sm:pr-6">
        <nav aria-label="Console" className="min-w-0 flex-1">
          <ul ref={row} className="relative flex overflow-x-auto pl-3 sm:pl-6">
            {consoleSections.map(({ href, name }) => (
              <li key={href}>
                <Link
                  href={href}
                  aria-current={href === current ? 'page' : undefined}
                  className="-mb-px inline-flex min-h-11 items-center whitespace-nowrap border-transparent border-b-2 px-2 font-medium text-ink-soft text-sm -outline-offset-3 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
                >
                  {name}
                  <Count of={counts?.[href]} />
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        {children}
      </div>
    </div>
  );
}

/** Nothing is shown for zero: a number that is there means work. */
function Count({ of }: { of: SectionCounts[keyof SectionCounts] }) {
  if (!of || of.count === 0) return null;
  return (
    <span
      className={`money ml-1 rounded-md px-1.5 py-0.5 text-xs ${of.urgent ? 'bg-unknown-soft text-unknown' : 'bg-sunken text-ink-soft'}`}
    >
      {of.count.toLocaleString('en-US')}
      <span className="sr-only"> {of.what}</span>
    </span>
  );
}

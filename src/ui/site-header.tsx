import type { ReactNode } from 'react';
import { Wordmark } from './wordmark.tsx';

const places = [
  ['/lab', 'Lab'],
  ['/docs', 'API'],
  ['/admin', 'Admin'],
] as const;

/**
 * Its links load whole pages: they lead from one part of Paidonce to another. The error page and the not-found page have this
 * header too, and the browser loads both with every page of the shop, so Next's Link would be in each of them once more.
 */
export function SiteHeader({ children, width }: { children?: ReactNode; width: string }) {
  return (
    <header className="border-line border-b bg-canvas print:hidden">
      <div className={`mx-auto flex h-16 items-center justify-between gap-4 px-5 sm:px-8 ${width}`}>
        <a
          href="/"
          className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2"
          aria-label="Paidonce, home"
        >
          <Wordmark />
        </a>
        {children ?? (
          <nav aria-label="Main" className="-mr-3 flex">
            {places.map(([href, name]) => (
              <a
                key={href}
                href={href}
                className={`${href === '/lab' ? 'hidden group-data-demo/page:inline-flex' : 'inline-flex'} min-h-11 items-center rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink`}
              >
                {name}
              </a>
            ))}
          </nav>
        )}
      </div>
    </header>
  );
}

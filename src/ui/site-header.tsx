import Link from 'next/link';
import type { ReactNode } from 'react';
import { Wordmark } from './wordmark.tsx';

const places = [
  ['/lab', 'Lab'],
  ['/docs', 'API'],
  ['/admin', 'Admin'],
] as const;

export function SiteHeader({ children, width }: { children?: ReactNode; width: string }) {
  return (
    <header className="border-line border-b bg-canvas print:hidden">
      <div className={`mx-auto flex h-16 items-center justify-between gap-4 px-5 sm:px-8 ${width}`}>
        <Link
          href="/"
          className="-mx-2 inline-flex min-h-11 items-center rounded-lg px-2"
          aria-label="Paidonce, home"
        >
          <Wordmark />
        </Link>
        {children ?? (
          <nav aria-label="Main" className="-mr-3 flex">
            {places.map(([href, name]) => (
              <Link
                key={href}
                href={href}
                // Most visitors are shoppers, who do not open these pages.
                prefetch={false}
                className="inline-flex min-h-11 items-center rounded-lg px-3 font-medium text-ink-soft text-sm hover:text-ink"
              >
                {name}
              </Link>
            ))}
          </nav>
        )}
      </div>
    </header>
  );
}

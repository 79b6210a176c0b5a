import type { ReactNode } from 'react';
import { SiteFooter } from './site-footer.tsx';
import { SiteHeader } from './site-header.tsx';

/** A page of Paidonce itself, as opposed to a page of one of its shops. */
export function PageShell({ children, width = 'max-w-6xl' }: { children: ReactNode; width?: string }) {
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader />
      <main
        id="main"
        tabIndex={-1}
        className={`mx-auto w-full px-5 pt-10 pb-20 outline-none sm:px-8 ${width}`}
      >
        {children}
      </main>
      <SiteFooter />
    </div>
  );
}

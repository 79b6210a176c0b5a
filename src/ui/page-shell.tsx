import type { ReactNode } from 'react';
import { SiteFooter } from './site-footer.tsx';
import { SiteHeader } from './site-header.tsx';

/** A page of Paidonce itself, not of one of its shops. `wide` applies to the header and footer too. */
export function PageShell(props: { children: ReactNode; width?: string; wide?: boolean }) {
  const frame = props.wide ? 'max-w-7xl' : 'max-w-6xl';
  return (
    <div className="flex min-h-dvh flex-col">
      <SiteHeader width={frame} />
      <main
        id="main"
        tabIndex={-1}
        className={`mx-auto w-full px-5 pt-10 pb-20 outline-none sm:px-8 ${props.width ?? frame}`}
      >
        {props.children}
      </main>
      <SiteFooter width={frame} />
    </div>
  );
}

'use client';

import { buttonStyle } from '#ui/button-style.ts';
import { PageShell } from '#ui/page-shell.tsx';
import { useLoadAgain } from './use-load-again.ts';

/** The browser loads it with every page, so it is made of little, and a link from here loads a whole page. */
export default function ErrorPage({
  error,
  retry,
}: {
  error: Error & { digest?: string };
  retry: () => void;
}) {
  useLoadAgain(error);
  return (
    <PageShell width="max-w-2xl">
      <h1 className="pt-10 font-semibold text-3xl tracking-[-0.025em] sm:text-4xl">Something went wrong</h1>
      <p className="mt-4 text-ink-soft text-lg leading-8">
        This page could not be loaded. If you were paying: open the same page again. It first checks what
        became of your payment, and it cannot charge you twice.
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        <button type="button" className={buttonStyle('primary', 'large')} onClick={retry}>
          Load it again
        </button>
        <a href="/" className={buttonStyle('secondary', 'large')}>
          Go to the start
        </a>
      </div>
      {error.digest && (
        <p className="mt-8 text-ink-faint text-sm">
          Reference to quote: <span className="font-mono">{error.digest}</span>
        </p>
      )}
    </PageShell>
  );
}

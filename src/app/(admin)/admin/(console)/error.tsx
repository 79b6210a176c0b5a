'use client';

import { Button } from '#ui/button.tsx';

/** Within the console's layout, so that the navigation stays. Retrying renders the page on the server again. */
export default function ConsoleError({
  error,
  retry,
}: {
  error: Error & { digest?: string };
  retry: () => void;
}) {
  return (
    <div
      role="alert"
      className="rounded-2xl border border-line bg-surface px-6 py-12 text-center shadow-card"
    >
      <h1 className="font-semibold text-xl tracking-tight">Something went wrong</h1>
      <p className="mx-auto mt-2 max-w-[52ch] text-ink-soft text-sm leading-6">
        The server could not load this page. If you have just changed something, that may have been done: load
        the page again before you repeat it.
      </p>
      <Button className="mt-5" onClick={retry}>
        Load it again
      </Button>
      {error.digest && (
        <p className="mt-5 text-ink-faint text-xs">
          Reference to quote: <span className="font-mono">{error.digest}</span>
        </p>
      )}
    </div>
  );
}

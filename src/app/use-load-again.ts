import { useEffect } from 'react';
import { serverResponds } from './server-responds.ts';

const mark = 'paidonce.loaded-again';
/** Not more often than this, so that a permanent error is shown instead of a loop of reloads. */
const pauseMs = 30_000;

/**
 * An error without a digest happened in the browser: as a rule a script failed to load, because the server was being
 * restarted. Reloading the page loads it, once the server responds.
 */
export function useLoadAgain(error: Error & { digest?: string }): void {
  useEffect(() => {
    if (error.digest !== undefined || !isTheFirst()) return undefined;
    const over = new AbortController();
    void serverResponds(over.signal).then((responds) => responds && window.location.reload());
    return () => over.abort();
  }, [error]);
}

function isTheFirst(): boolean {
  try {
    const last = Number(sessionStorage.getItem(mark));
    sessionStorage.setItem(mark, String(Date.now()));
    return Date.now() - last > pauseMs;
  } catch {
    // Without storage the page could reload for ever.
    return false;
  }
}

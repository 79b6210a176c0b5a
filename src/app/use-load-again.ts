import { useEffect } from 'react';
import { serverResponds } from './server-responds.ts';

const storageName = 'paidonce.loaded-again';
/** At most one reload in this time, so that a permanent error is shown instead of an endless loop of reloads. */
const intervalMs = 30_000;

/**
 * An error without a digest happened in the browser: as a rule a script failed to load, because the server was being
 * restarted. Reloading the page loads it, once the server responds.
 */
export function useLoadAgain(error: Error & { digest?: string }): void {
  useEffect(() => {
    if (error.digest !== undefined || !mayReload()) return undefined;
    const controller = new AbortController();
    void serverResponds(controller.signal).then((responds) => responds && window.location.reload());
    return () => controller.abort();
  }, [error]);
}

function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem(storageName));
    sessionStorage.setItem(storageName, String(Date.now()));
    return Date.now() - last > intervalMs;
  } catch {
    // Without storage the reloads cannot be limited.
    return false;
  }
}

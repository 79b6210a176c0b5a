import { useEffect } from 'react';
import { serverAnswers } from './server-responds.ts';

const mark = 'paidonce.loaded-again';
/** Not oftener than this: what is broken for good is shown, and not loaded for ever. */
const restMs = 30_000;

/**
 * An error without a digest happened in the browser: as a rule a piece of the page did not arrive, because the server was
 * being started again in that moment. Loading the page brings it, once there is a server to load it from.
 */
export function useLoadAgain(error: Error & { digest?: string }): void {
  useEffect(() => {
    if (error.digest !== undefined || !isTheFirst()) return undefined;
    const over = new AbortController();
    void serverAnswers(over.signal).then((answers) => answers && window.location.reload());
    return () => over.abort();
  }, [error]);
}

function isTheFirst(): boolean {
  try {
    const last = Number(sessionStorage.getItem(mark));
    sessionStorage.setItem(mark, String(Date.now()));
    return Date.now() - last > restMs;
  } catch {
    // Without a memory it could go on for ever.
    return false;
  }
}

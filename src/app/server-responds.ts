/** A healthy server responds at once; after this long another probe is more likely to succeed. */
const timeoutMs = 5_000;
const firstPauseMs = 500;
/** The longest time between a restart of the server and the next probe. */
const longestPauseMs = 5_000;

/**
 * Whether the server can render a page. Next's router does not check: without a response it has the browser load the page,
 * and the browser's own error page replaces everything that was shown.
 */
export async function serverResponds(signal: AbortSignal): Promise<boolean> {
  const probe = new AbortController();
  const abort = () => probe.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal.addEventListener('abort', abort);
  try {
    // A proxy's 502 means that the server does not respond.
    const { ok } = await fetch('/api/health', { cache: 'no-store', signal: probe.signal });
    return ok && !signal.aborted;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

/** True as soon as the server responds, as a rule to the first probe; false if the signal was aborted before that. */
export async function untilServerResponds(signal: AbortSignal, onDown: () => void): Promise<boolean> {
  for (let tries = 1; !signal.aborted; tries++) {
    if (await serverResponds(signal)) return true;
    if (signal.aborted) break;
    onDown();
    await pause(tries);
  }
  return false;
}

/** Half of the pause is random, so that not all pages probe at once. */
function pause(tries: number): Promise<void> {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
  return new Promise((resolve) => setTimeout(resolve, (ceiling * (1 + Math.random())) / 2));
}

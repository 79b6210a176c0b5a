/** A healthy server responds at once; after this long another probe is more likely to succeed. */
const timeoutMs = 5_000;
const firstPauseMs = 500;
/** At most this long after a restart of the server the next probe comes. */
const longestPauseMs = 5_000;

/**
 * Whether the server can render a page. Next's router does not check: without a response it has the browser load the page,
 * and the browser's own error page replaces everything that was shown.
 */
export async function serverResponds(over: AbortSignal): Promise<boolean> {
  const probe = new AbortController();
  const end = () => probe.abort();
  const timer = setTimeout(end, timeoutMs);
  over.addEventListener('abort', end);
  try {
    // A proxy's 502 while the server is being replaced is no response of the server.
    const { ok } = await fetch('/api/health', { cache: 'no-store', signal: probe.signal });
    return ok && !over.aborted;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    over.removeEventListener('abort', end);
  }
}

/** True as soon as the server responds, which as a rule is at the first probe; false if it was aborted before that. */
export async function untilServerResponds(over: AbortSignal, onDown: () => void): Promise<boolean> {
  for (let tries = 1; !over.aborted; tries++) {
    if (await serverResponds(over)) return true;
    if (over.aborted) break;
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

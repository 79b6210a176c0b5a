/** A server that is well says so at once. Whoever has heard nothing for this long may as well ask anew. */
const patienceMs = 5_000;
const firstPauseMs = 500;
/** A server that was started again is not kept waiting for longer than this by those who wait for it. */
const longestPauseMs = 5_000;

/**
 * Whether there is a server to load a page from. Next's router does not ask: where no answer comes it has the browser load
 * the page, and the browser's own error page takes the place of everything that was said here.
 */
export async function serverAnswers(over: AbortSignal): Promise<boolean> {
  const asking = new AbortController();
  const end = () => asking.abort();
  const timer = setTimeout(end, patienceMs);
  over.addEventListener('abort', end);
  try {
    // A proxy that speaks for a server which is being replaced has no page to give: its 502 is no answer.
    const { ok } = await fetch('/api/health', { cache: 'no-store', signal: asking.signal });
    return ok && !over.aborted;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    over.removeEventListener('abort', end);
  }
}

/** True as soon as the server answers, which as a rule is at the first question; false if it was over before that. */
export async function untilServerAnswers(over: AbortSignal, silent: () => void): Promise<boolean> {
  for (let tries = 1; !over.aborted; tries++) {
    if (await serverAnswers(over)) return true;
    if (over.aborted) break;
    silent();
    await pause(tries);
  }
  return false;
}

/** Up to half of it is left to chance, so that all who wait do not come at once. */
function pause(tries: number): Promise<void> {
  const ceiling = Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
  return new Promise((resolve) => setTimeout(resolve, (ceiling * (1 + Math.random())) / 2));
}

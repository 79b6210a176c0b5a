/** A request may never end, if the component that sent it is gone or the connection is lost. */
const turnMs = 5_000;
const lockName = 'paidonce.send';

/**
 * Requests are sent one after the other, also across pages and tabs: each reads and writes the cart's cookie, so
 * concurrent ones would lose changes. A turn ends with the response, and after a while without one.
 */
export async function sendInTurn(send: () => Promise<void>): Promise<void> {
  const endTurn = await (hasLocks() ? takeLock() : followPrevious());
  const timer = setTimeout(endTurn, turnMs);
  try {
    await send();
  } finally {
    clearTimeout(timer);
    endTurn();
  }
}

/** Browsers have locks for pages over https and on the loopback address only. */
function hasLocks(): boolean {
  return 'locks' in navigator;
}

/**
 * The lock is the browser's, shared by all tabs. Another tab's timers may be throttled while it is hidden, so waiting for
 * it is limited too.
 */
function takeLock(): Promise<() => void> {
  return new Promise((resolve) => {
    const waiting = new AbortController();
    const timer = setTimeout(() => waiting.abort(), turnMs);
    const request = navigator.locks.request(lockName, { signal: waiting.signal }, () => {
      clearTimeout(timer);
      // The lock is held until this promise is resolved, which ends the turn.
      return new Promise<void>((endTurn) => resolve(endTurn));
    });
    request.catch(() => resolve(() => undefined));
  });
}

let previous: Promise<unknown> = Promise.resolve();

function followPrevious(): Promise<() => void> {
  const before = previous;
  return new Promise((resolve) => {
    previous = new Promise<void>((endTurn) => void before.then(() => resolve(endTurn)));
  });
}

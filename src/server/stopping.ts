/** One for the process. Next loads a route's modules more than once, and each would listen for signals. */
const slot = Symbol.for('paidonce.stopping');
const shared = globalThis as { [slot]?: AbortSignal };

/** Aborts when the process is asked to stop, which it then does by itself when its requests have their responses. */
export function stopping(): AbortSignal {
  shared[slot] ??= listen();
  return shared[slot];
}

function listen(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => controller.abort());
  return controller.signal;
}

/**
 * How long a process that stops waits for the provider. What is awaited longer becomes unknown, or is released if nothing can
 * have been charged, and its client gets a response that says so. Docker kills after ten seconds, and `npm start` after six.
 */
export const lastCallsMs = 4_000;

/** Aborts when a process that stops has waited long enough. */
export function lastCallsOver(stop: AbortSignal = stopping()): AbortSignal {
  const over = new AbortController();
  const wait = () => setTimeout(() => over.abort(), lastCallsMs).unref();
  if (stop.aborted) wait();
  else stop.addEventListener('abort', wait, { once: true });
  return over.signal;
}

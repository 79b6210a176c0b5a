/** Long enough for a server to restart. */
const reopenAfterMs = 10_000;

/**
 * Keeps a subscription open. An EventSource reconnects by itself when the connection drops and when the server ends the
 * stream, but not after an HTTP error such as a proxy's 502; this opens a new one. Until then there are no events.
 */
export function keepSubscribed(open: (onError: () => void) => { unsubscribe(): void }): () => void {
  let current: { unsubscribe(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  function start(): void {
    current = open(() => {
      clearTimeout(timer);
      if (!stopped) timer = setTimeout(start, reopenAfterMs);
    });
  }

  start();
  return () => {
    stopped = true;
    clearTimeout(timer);
    current?.unsubscribe();
  };
}

/** Long enough for a server that is being replaced to be back. */
const againMs = 10_000;

/**
 * An EventSource reconnects by itself after a drop and at the end of a stream's time, but not after an error such as a
 * proxy's 502: then it is opened again a little later. Until then there are no events.
 */
export function keepSubscribed(open: (failed: () => void) => { unsubscribe(): void }): () => void {
  let current: { unsubscribe(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;

  function start(): void {
    current = open(() => {
      clearTimeout(timer);
      if (!over) timer = setTimeout(start, againMs);
    });
  }

  start();
  return () => {
    over = true;
    clearTimeout(timer);
    current?.unsubscribe();
  };
}

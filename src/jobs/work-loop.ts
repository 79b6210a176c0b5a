/** Repeats its work until it is stopped: at once while there is work, else after a rest. */
export interface WorkLoop {
  /** There may be work: ends the rest, or the next one if the loop is at work. */
  wake(): void;
  stop(): Promise<void>;
}

export function startWorkLoop(options: {
  /** How much was done; zero means rest. */
  readonly work: () => Promise<number>;
  readonly restMs: number;
  /** How long to wait after a wake-up, for more work to gather. Default: not at all. */
  readonly gatherMs?: number;
  readonly onError: (error: unknown) => void;
}): WorkLoop {
  const { gatherMs = 0 } = options;
  let stopped = false;
  let woken = false;
  let endRest = () => {};

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.restMs);
      endRest = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  function wake(): void {
    woken = true;
    endRest();
  }

  /** A second wake-up does not end it; stopping does. */
  const gather = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs);
      endRest = () => {
        if (!stopped) return;
        clearTimeout(timer);
        resolve();
      };
    });

  const running = (async () => {
    while (!stopped) {
      woken = false;
      // A failed round does not stop the loop: the database may be back in the next one.
      const done = await options.work().catch((error: unknown) => {
        options.onError(error);
        return 0;
      });
      if (done === 0 && !woken && !stopped) await rest();
      if (woken && gatherMs > 0 && !stopped) await gather();
    }
  })();

  return {
    wake,
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}

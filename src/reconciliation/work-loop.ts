/** Repeats its work until it is stopped: at once while there is work, else after a rest. */
export interface WorkLoop {
  stop(): Promise<void>;
}

export function startWorkLoop(options: {
  /** How much was done; zero means rest. */
  readonly work: () => Promise<number>;
  readonly restMs: number;
  readonly onError: (error: unknown) => void;
}): WorkLoop {
  let stopped = false;
  let wake = () => {};

  const rest = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, options.restMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const running = (async () => {
    while (!stopped) {
      // A failed round does not stop the loop: the database may be back in the next one.
      const done = await options.work().catch((error: unknown) => {
        options.onError(error);
        return 0;
      });
      if (done === 0 && !stopped) await rest();
    }
  })();

  return {
    async stop() {
      stopped = true;
      wake();
      await running;
    },
  };
}

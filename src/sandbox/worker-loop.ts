import type { FastifyBaseLogger } from 'fastify';

// The floor under everything that should have woken the loop and did not: a lease that ran out, a database that came back.
const WORK_SLEEP_MS = 2_000;

/** Does one step of work, then sleeps until the step's own estimate or a wake-up, whichever is first. */
export class WorkerLoop {
  readonly #step: () => Promise<number | null>;
  readonly #log: FastifyBaseLogger;
  readonly #longestSleepMs: number;
  #running: Promise<void> | undefined;
  #stopping = false;
  #woken = false;
  #interrupt: () => void = () => {};

  /** `step` returns how many milliseconds there are until it has more to do, or null when it does not know. */
  constructor(step: () => Promise<number | null>, log: FastifyBaseLogger, longestSleepMs = WORK_SLEEP_MS) {
    this.#step = step;
    this.#log = log;
    this.#longestSleepMs = longestSleepMs;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  wake(): void {
    this.#woken = true;
    this.#interrupt();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#woken = false;
      let idleMs: number | null = null;
      try {
        idleMs = await this.#step();
      } catch (error) {
        // Everything a step does is in the database, so the next round picks up where this one failed.
        this.#log.error({ err: error }, 'a background step failed');
      }
      if (!this.#woken)
        await this.#sleep(Math.min(Math.max(idleMs ?? this.#longestSleepMs, 0), this.#longestSleepMs));
    }
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

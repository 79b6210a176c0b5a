import type { FastifyBaseLogger } from 'fastify';

// Nothing wakes the loop when a lease expires or when the database is reachable again, so it checks this often.
const DEFAULT_MAX_SLEEP_MS = 2_000;

/** Runs a step, then sleeps until the time that the step returned or until it is woken, whichever is first. */
export class WorkerLoop {
  readonly #step: () => Promise<number | null>;
  readonly #log: FastifyBaseLogger;
  readonly #maxSleepMs: number;
  #running: Promise<void> | undefined;
  #stopping = false;
  #woken = false;
  #interrupt: () => void = () => {};

  /** `step` returns in how many milliseconds it has more to do, or null when it does not know. */
  constructor(step: () => Promise<number | null>, log: FastifyBaseLogger, maxSleepMs = DEFAULT_MAX_SLEEP_MS) {
    this.#step = step;
    this.#log = log;
    this.#maxSleepMs = maxSleepMs;
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
        // The state of a step is in the database, so the next round continues where this one failed.
        this.#log.error({ err: error }, 'a background step failed');
      }
      if (!this.#woken)
        await this.#sleep(Math.min(Math.max(idleMs ?? this.#maxSleepMs, 0), this.#maxSleepMs));
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

import { setTimeout as sleep } from 'node:timers/promises';

/** Delays of responses. All of them end when the sandbox closes. */
export class ResponseDelays {
  readonly #closed = new AbortController();

  /** False when the sandbox closed first; the delayed response is then not sent. */
  async wait(ms: number): Promise<boolean> {
    if (ms <= 0) return true;
    return sleep(ms, true, { signal: this.#closed.signal }).catch(() => false);
  }

  end(): void {
    this.#closed.abort();
  }
}

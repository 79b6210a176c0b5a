import { setTimeout as sleep } from 'node:timers/promises';

/** Responses that are delayed on purpose. All of them stop waiting when the sandbox closes. */
export class ResponseDelays {
  readonly #over = new AbortController();

  /** False when the sandbox closed first; the delayed response is then not sent. */
  async wait(ms: number): Promise<boolean> {
    if (ms <= 0) return true;
    return sleep(ms, true, { signal: this.#over.signal }).catch(() => false);
  }

  end(): void {
    this.#over.abort();
  }
}

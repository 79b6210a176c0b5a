import { setTimeout as sleep } from 'node:timers/promises';

/** Answers kept waiting on purpose. All of them stop waiting when the sandbox closes. */
export class Patience {
  readonly #over = new AbortController();

  /** False when the sandbox closed first; the answer that was waiting is then not given. */
  async wait(ms: number): Promise<boolean> {
    if (ms <= 0) return true;
    return sleep(ms, true, { signal: this.#over.signal }).catch(() => false);
  }

  end(): void {
    this.#over.abort();
  }
}

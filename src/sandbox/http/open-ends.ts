import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Connections kept silent on purpose, and answers kept waiting. Both must let go when the sandbox closes. */
export class OpenEnds {
  readonly #silent = new Set<Socket>();
  readonly #closing = new AbortController();

  keepSilent(socket: Socket): void {
    this.#silent.add(socket);
    socket.once('close', () => this.#silent.delete(socket));
  }

  /** Rejects when the sandbox closes first: an answer that was waiting is then not given. */
  async wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#closing.signal });
  }

  close(): void {
    this.#closing.abort();
    for (const socket of this.#silent) socket.destroy();
  }
}

type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>;

/**
 * The connection of one request, which can be cut. This is how a `drop` is carried out, on the demo's pay page and in the
 * lab alike. If it is cut before the request is sent, `fetch` guarantees that nothing leaves. If it is cut later, the
 * sender gets no response, and the server, which has the request, goes on.
 */
export class Connection {
  readonly #controller = new AbortController();
  #hasSent = false;

  get isCut(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Whether the request was sent before the connection was cut. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  cut(): void {
    this.#controller.abort();
  }

  /** Rejects if the connection is cut before the response begins. If it is cut later, reading the body rejects. */
  send(fetch: Fetch, ...[input, init]: Parameters<Fetch>): Promise<Response> {
    this.#hasSent = !this.isCut;
    const own = this.#controller.signal;
    // Older phones do not have `AbortSignal.any`, and a request that does not leave needs no other signal.
    const signal = init?.signal && this.#hasSent ? AbortSignal.any([init.signal, own]) : own;
    return fetch(input, { ...init, signal });
  }
}

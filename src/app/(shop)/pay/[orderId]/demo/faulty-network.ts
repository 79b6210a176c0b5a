import type { Fetch } from '#app/trpc/page-fetch.ts';
import type { Journal, JournalEntries, RequestOutcome, SentRequest } from './journal.ts';

/**
 * The network between the page and the shop: the demo bar replaces the page's fetch by this one. It records every payment
 * request, and can inject one fault into the next:
 *
 * - `before`: the network is cut before the request is sent, which therefore never leaves.
 * - `after`: the request leaves. Once the shop provably has it, the connection is aborted and the network stays cut.
 * - `twice`: the same bytes leave two times at once. The page gets the response to its own request.
 *
 * While the network is cut no request passes, status reads included; after a few seconds it is restored. The page notices
 * only what its fetch returns.
 */
export type NetworkFault = 'before' | 'after' | 'twice';

export interface NetworkState extends JournalEntries {
  readonly armed: NetworkFault | undefined;
  /** By the clock of this browser; undefined while the network is not cut. */
  readonly cutUntil: number | undefined;
}

export interface NetworkParts {
  readonly fetch: Fetch;
  /** Whether the shop has received a request with this key, read through the real network. */
  readonly arrived: (key: string) => Promise<boolean>;
  readonly journal: Journal;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Long enough for a few failed tries and for the visitor to read about them, short enough to wait for. */
export const cutMs = 5_000;
const checkEveryMs = 60;

export class FaultyNetwork {
  readonly #parts: NetworkParts;
  readonly #listeners = new Set<() => void>();
  #state: NetworkState;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.#state = { ...parts.journal.read(), armed: undefined, cutUntil: undefined };
  }

  get state(): NetworkState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Injects the fault into the next payment request. */
  arm(fault: NetworkFault): void {
    this.#change({ armed: fault });
  }

  countClick(): void {
    this.#change({ clicks: this.#state.clicks + 1 });
  }

  readonly fetch: Fetch = (input, init) => {
    const key = paymentKey(input, init);
    if (key === undefined)
      return this.#isCut ? neverLeaves(this.#parts.fetch, input, init) : this.#parts.fetch(input, init);
    const fault = this.#state.armed;
    this.#change({ armed: undefined });
    if (fault === 'before') this.#cut();
    if (this.#isCut) {
      this.#record({ key, twin: false, outcome: { kind: 'never_left' } });
      return neverLeaves(this.#parts.fetch, input, init);
    }
    if (fault === 'after') return this.#sendAndLose(key, input, init);
    const own = this.#send(key, false, input, init);
    // The outcome of the twin is recorded; the page does not wait for it.
    if (fault === 'twice') this.#send(key, true, input, init).catch(() => undefined);
    return own;
  };

  get #isCut(): boolean {
    return this.#state.cutUntil !== undefined;
  }

  #cut(): void {
    const cutUntil = this.#parts.now() + cutMs;
    this.#change({ cutUntil });
    // If the network was cut again meanwhile, the later cut determines when it is restored.
    void this.#parts.pause(cutMs).then(() => {
      if (this.#state.cutUntil === cutUntil) this.#change({ cutUntil: undefined });
    });
  }

  async #send(key: string, twin: boolean, ...[input, init]: Parameters<Fetch>): Promise<Response> {
    const n = this.#record({ key, twin, outcome: { kind: 'waiting' } });
    const sentAt = this.#parts.now();
    try {
      const response = await this.#parts.fetch(input, init);
      const responded: RequestOutcome = {
        kind: 'responded',
        status: response.status,
        ms: Math.round(this.#parts.now() - sentAt),
        replayed: response.headers.get('idempotent-replayed') === 'true',
      };
      this.#update(n, responded);
      void codeIn(response.clone()).then((code) => this.#update(n, { ...responded, code }));
      return response;
    } catch (error) {
      this.#update(n, { kind: 'failed' });
      throw error;
    }
  }

  async #sendAndLose(key: string, ...[input, init]: Parameters<Fetch>): Promise<Response> {
    const n = this.#record({ key, twin: false, outcome: { kind: 'waiting' } });
    const connection = new AbortController();
    const sent = this.#parts.fetch(input, { ...init, signal: either(init?.signal, connection.signal) });
    const ended = sent.then(
      () => 'responding' as const,
      () => 'failed' as const,
    );
    // The beginning of a response proves as well as the record that the shop has the request.
    const first = await Promise.race([ended, this.#untilArrived(key, connection.signal)]);
    connection.abort();
    if (first === 'failed') {
      this.#update(n, { kind: 'failed' });
      return sent;
    }
    this.#update(n, { kind: 'response_lost' });
    this.#cut();
    const response = await sent;
    // The headers arrived before the cut; reading the body fails.
    await response.arrayBuffer();
    throw new TypeError('The response came through a network that was cut.');
  }

  async #untilArrived(key: string, signal: AbortSignal): Promise<'arrived'> {
    while (!signal.aborted) {
      if (await this.#parts.arrived(key).catch(() => false)) break;
      await this.#parts.pause(checkEveryMs);
    }
    return 'arrived';
  }

  #record(request: Omit<SentRequest, 'n'>): number {
    const n = this.#state.requests.length + 1;
    this.#change({ requests: [...this.#state.requests, { n, ...request }] });
    return n;
  }

  #update(n: number, outcome: RequestOutcome): void {
    const requests = this.#state.requests.map((request) =>
      request.n === n ? { ...request, outcome } : request,
    );
    this.#change({ requests });
  }

  #change(change: Partial<NetworkState>): void {
    this.#state = { ...this.#state, ...change };
    const { clicks, requests } = this.#state;
    this.#parts.journal.write({ clicks, requests });
    for (const listener of this.#listeners) listener();
  }
}

/** Undefined if the request is not a payment. */
function paymentKey(...[input, init]: Parameters<Fetch>): string | undefined {
  const url = input instanceof Request ? input.url : String(input);
  if (!/\/payments\.pay(\?|$)/.test(url)) return undefined;
  return new Headers(init?.headers).get('idempotency-key') ?? undefined;
}

/** Aborts the request before it begins: the browser guarantees that nothing was sent. */
function neverLeaves(fetch: Fetch, ...[input, init]: Parameters<Fetch>): Promise<Response> {
  return fetch(input, { ...init, signal: AbortSignal.abort() });
}

function either(one: AbortSignal | null | undefined, other: AbortSignal): AbortSignal {
  return one ? AbortSignal.any([one, other]) : other;
}

async function codeIn(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => undefined)) as
    | { result?: { data?: { status?: string } }; error?: { data?: { problem?: { code?: string } | null } } }
    | undefined;
  return body?.result?.data?.status ?? body?.error?.data?.problem?.code;
}

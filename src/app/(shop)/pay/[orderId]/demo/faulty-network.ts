import type { Fetch } from '#app/trpc/page-fetch.ts';
import { ArmedFault, Connection, type CutPoint } from '#faults/index.ts';
import type { Journal, JournalEntries, RequestOutcome, SentRequest } from './journal.ts';

/**
 * The network between the page and the shop: the demo bar replaces the page's fetch by this one. It records every payment
 * request, and can inject a fault of the lab's kind into the next one, or send that one twice. While the network is cut no
 * request passes, status reads included; after a few seconds it is restored. The page notices only what its fetch returns.
 */
export interface NetworkState extends JournalEntries {
  /** By the clock of this browser; undefined while the network is not cut. */
  readonly cutUntil: number | undefined;
}

/** The points of a request of which the page can know: later ones are the server's own. */
export type PagePoint = Extract<CutPoint, 'before_send' | 'after_claim'>;

export interface NetworkParts {
  readonly fetch: Fetch;
  /** Whether the shop has claimed this key, read through the real network. */
  readonly isClaimed: (key: string) => Promise<boolean>;
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
  readonly #armed = new ArmedFault();
  #sendsTwin = false;
  #state: NetworkState;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
    this.#state = { ...parts.journal.read(), cutUntil: undefined };
  }

  get state(): NetworkState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The network is cut at this point of the next payment request: the connection is cut, and the network stays so. */
  dropAt(point: PagePoint): void {
    this.#armed.arm({ action: 'drop', at: point });
  }

  /** The bytes of the next payment request leave two times at once. The page gets the response to its own request. */
  sendTwice(): void {
    this.#sendsTwin = true;
  }

  countClick(): void {
    this.#change({ clicks: this.#state.clicks + 1 });
  }

  readonly fetch: Fetch = (input, init) => {
    const key = paymentKey(input, init);
    if (key !== undefined && this.#armed.take('before_send')) this.#cut();
    if (this.#isCut) return this.#sendNothing(key, input, init);
    if (key === undefined) return this.#parts.fetch(input, init);
    if (this.#armed.isArmedFor('after_claim')) return this.#sendAndLose(key, input, init);
    const twins = this.#sendsTwin;
    this.#sendsTwin = false;
    const own = this.#send(key, false, input, init);
    // The outcome of the twin is recorded; the page does not wait for it.
    if (twins) this.#send(key, true, input, init).catch(() => undefined);
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

  #sendNothing(key: string | undefined, ...[input, init]: Parameters<Fetch>): Promise<Response> {
    if (key !== undefined) this.#record({ key, twin: false, outcome: { kind: 'never_left' } });
    const connection = new Connection();
    connection.cut();
    return connection.send(this.#parts.fetch, input, init);
  }

  async #sendAndLose(key: string, ...[input, init]: Parameters<Fetch>): Promise<Response> {
    const n = this.#record({ key, twin: false, outcome: { kind: 'waiting' } });
    const connection = new Connection();
    const sent = connection.send(this.#parts.fetch, input, init);
    const ended = sent.then(
      () => 'responding' as const,
      () => 'failed' as const,
    );
    // The beginning of a response proves as well as the record that the shop has the request.
    const first = await Promise.race([ended, this.#untilClaimed(key, connection)]);
    connection.cut();
    if (first === 'failed') {
      this.#update(n, { kind: 'failed' });
      return sent;
    }
    this.#armed.take('after_claim');
    this.#update(n, { kind: 'response_lost' });
    this.#cut();
    const response = await sent;
    // The headers arrived before the cut; reading the body fails.
    await response.arrayBuffer();
    throw new TypeError('The response came through a network that was cut.');
  }

  async #untilClaimed(key: string, connection: Connection): Promise<'claimed'> {
    while (!connection.isCut) {
      if (await this.#parts.isClaimed(key).catch(() => false)) break;
      await this.#parts.pause(checkEveryMs);
    }
    return 'claimed';
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

async function codeIn(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => undefined)) as
    | { result?: { data?: { status?: string } }; error?: { data?: { problem?: { code?: string } | null } } }
    | undefined;
  return body?.result?.data?.status ?? body?.error?.data?.problem?.code;
}

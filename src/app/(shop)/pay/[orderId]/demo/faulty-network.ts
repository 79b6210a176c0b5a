import type { Wire } from '#app/trpc/transport.ts';
import type { Fate, Journal, SentRequest, Story } from './journal.ts';

/**
 * The line between the page and the shop, laid over the page's fetch by the demo bar. It writes down every payment
 * request, and it can be told to do one thing to the next one:
 *
 * - `before`: the line is cut, and then the request is sent. It never leaves.
 * - `after`: the request leaves. Once the shop provably has it, the connection is aborted and the line stays cut.
 * - `twice`: the same bytes leave two times at once. The page gets the answer to its own.
 *
 * While the line is cut nothing passes, questions included; after a few seconds it mends itself. What the page does
 * about any of this is the page's own affair: it is told nothing but what fetch would tell it.
 */
export type Trick = 'before' | 'after' | 'twice';

export interface LineState extends Story {
  readonly armed: Trick | undefined;
  /** By the clock of this browser; undefined while the line is whole. */
  readonly cutUntil: number | undefined;
}

export interface LineParts {
  readonly fetch: Wire;
  /** Whether the shop has got a request with this key, asked over another line. */
  readonly arrived: (key: string) => Promise<boolean>;
  readonly journal: Journal;
  readonly now: () => number;
  readonly pause: (ms: number) => Promise<void>;
}

/** Long enough for the page to try a few times in vain and to be read while it does, short enough to wait for. */
export const cutMs = 5_000;
const askEveryMs = 60;

export class Line {
  readonly #parts: LineParts;
  readonly #listeners = new Set<() => void>();
  #state: LineState;

  constructor(parts: LineParts) {
    this.#parts = parts;
    this.#state = { ...parts.journal.read(), armed: undefined, cutUntil: undefined };
  }

  get state(): LineState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** For the next payment request; nothing takes it back. */
  arm(trick: Trick | undefined): void {
    this.#change({ armed: trick });
  }

  countClick(): void {
    this.#change({ clicks: this.#state.clicks + 1 });
  }

  readonly fetch: Wire = (input, init) => {
    const key = paymentKey(input, init);
    if (key === undefined)
      return this.#isCut ? neverLeaves(this.#parts.fetch, input, init) : this.#parts.fetch(input, init);
    const trick = this.#state.armed;
    this.#change({ armed: undefined });
    if (trick === 'before') this.#cut();
    if (this.#isCut) {
      this.#write({ key, twin: false, fate: { kind: 'never_left' } });
      return neverLeaves(this.#parts.fetch, input, init);
    }
    if (trick === 'after') return this.#sendAndLose(key, input, init);
    const own = this.#send(key, false, input, init);
    // Whatever becomes of the twin is written down; nobody waits for it.
    if (trick === 'twice') this.#send(key, true, input, init).catch(() => undefined);
    return own;
  };

  get #isCut(): boolean {
    return this.#state.cutUntil !== undefined;
  }

  #cut(): void {
    const cutUntil = this.#parts.now() + cutMs;
    this.#change({ cutUntil });
    // A line that was cut again meanwhile is mended by the later cut.
    void this.#parts.pause(cutMs).then(() => {
      if (this.#state.cutUntil === cutUntil) this.#change({ cutUntil: undefined });
    });
  }

  async #send(key: string, twin: boolean, ...[input, init]: Parameters<Wire>): Promise<Response> {
    const n = this.#write({ key, twin, fate: { kind: 'waiting' } });
    const sentAt = this.#parts.now();
    try {
      const response = await this.#parts.fetch(input, init);
      const answered: Fate = {
        kind: 'answered',
        status: response.status,
        ms: Math.round(this.#parts.now() - sentAt),
        replayed: response.headers.get('idempotent-replayed') === 'true',
      };
      this.#rewrite(n, answered);
      void wordIn(response.clone()).then((said) => this.#rewrite(n, { ...answered, said }));
      return response;
    } catch (error) {
      this.#rewrite(n, { kind: 'failed' });
      throw error;
    }
  }

  async #sendAndLose(key: string, ...[input, init]: Parameters<Wire>): Promise<Response> {
    const n = this.#write({ key, twin: false, fate: { kind: 'waiting' } });
    const scissors = new AbortController();
    const sent = this.#parts.fetch(input, { ...init, signal: either(init?.signal, scissors.signal) });
    const ended = sent.then(
      () => 'answering' as const,
      () => 'failed' as const,
    );
    // An answer that begins to come proves the same as the shop's word, and is cut off half-way.
    const first = await Promise.race([ended, this.#untilArrived(key, scissors.signal)]);
    scissors.abort();
    if (first === 'failed') {
      this.#rewrite(n, { kind: 'failed' });
      return sent;
    }
    this.#rewrite(n, { kind: 'answer_lost' });
    this.#cut();
    const answer = await sent;
    // Its head was here before the cut; its body can no longer come.
    await answer.arrayBuffer();
    throw new TypeError('The answer came through a line that was cut.');
  }

  async #untilArrived(key: string, over: AbortSignal): Promise<'arrived'> {
    while (!over.aborted) {
      if (await this.#parts.arrived(key).catch(() => false)) break;
      await this.#parts.pause(askEveryMs);
    }
    return 'arrived';
  }

  #write(request: Omit<SentRequest, 'n'>): number {
    const n = this.#state.requests.length + 1;
    this.#change({ requests: [...this.#state.requests, { n, ...request }] });
    return n;
  }

  #rewrite(n: number, fate: Fate): void {
    const requests = this.#state.requests.map((request) =>
      request.n === n ? { ...request, fate } : request,
    );
    this.#change({ requests });
  }

  #change(change: Partial<LineState>): void {
    this.#state = { ...this.#state, ...change };
    const { clicks, requests } = this.#state;
    this.#parts.journal.write({ clicks, requests });
    for (const listener of this.#listeners) listener();
  }
}

/** Undefined for everything that is not a payment. */
function paymentKey(...[input, init]: Parameters<Wire>): string | undefined {
  const url = input instanceof Request ? input.url : String(input);
  if (!/\/payments\.pay(\?|$)/.test(url)) return undefined;
  return new Headers(init?.headers).get('idempotency-key') ?? undefined;
}

/** A request that is aborted before it begins: the browser itself says that nothing left. */
function neverLeaves(fetch: Wire, ...[input, init]: Parameters<Wire>): Promise<Response> {
  return fetch(input, { ...init, signal: AbortSignal.abort() });
}

function either(one: AbortSignal | null | undefined, other: AbortSignal): AbortSignal {
  return one ? AbortSignal.any([one, other]) : other;
}

async function wordIn(response: Response): Promise<string | undefined> {
  const body = (await response.json().catch(() => undefined)) as
    | { result?: { data?: { status?: string } }; error?: { data?: { problem?: { code?: string } | null } } }
    | undefined;
  return body?.result?.data?.status ?? body?.error?.data?.problem?.code;
}

/** As many requests as one busy minute of a demo has; each is kept with its response of a few kilobytes. */
const CAPACITY = 2_000;

/** One request to the payment API, as it arrived and as it was answered. */
export interface LoggedRequest {
  /** When it arrived: wall time, in epoch milliseconds. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  /** The body as executed or replayed; the caller may have got less of it, or nothing. */
  readonly body: string;
  readonly status: number;
  readonly sent: 'response' | 'slow' | 'nothing' | 'reset' | 'half';
  readonly replayed: boolean;
}

/** One webhook that was sent. */
export interface LoggedDelivery {
  /** When it was sent. */
  readonly atMs: number;
  readonly intent: string;
  readonly type: string;
  /** The status that came back, or the name of the error. */
  readonly result: string;
}

/**
 * What arrived at the provider and what it sent, in memory only: the lab draws it. It is written by every request and read
 * rarely, so a request stores references, and bodies are parsed by the reader.
 */
export class RequestLog {
  readonly #requests: LoggedRequest[] = [];
  readonly #deliveries: LoggedDelivery[] = [];

  addRequest(request: LoggedRequest): void {
    push(this.#requests, request);
  }

  addDelivery(delivery: LoggedDelivery): void {
    push(this.#deliveries, delivery);
  }

  /** The requests and webhooks about the payments of one reference, the oldest first. */
  about(reference: string): { requests: object[]; webhooks: object[] } {
    const intents = new Set<string>();
    const requests = this.#requests.flatMap((request) => {
      const intent = readIntent(request);
      if (intent?.reference === reference) intents.add(intent.id);
      const id = intent?.id ?? request.path.split('/')[3];
      if (id === undefined || !intents.has(id)) return [];
      const { atMs, method, status, sent, replayed } = request;
      const action = method === 'GET' ? 'retrieve' : (request.path.split('/')[4] ?? 'create');
      return [
        { at_ms: atMs, action, intent: id, status, intent_status: intent?.status ?? null, sent, replayed },
      ];
    });
    const webhooks = this.#deliveries
      .filter(({ intent }) => intents.has(intent))
      .map(({ atMs, type, result }) => ({ at_ms: atMs, type, result }));
    return { requests, webhooks };
  }
}

function push<T>(log: T[], entry: T): void {
  log.push(entry);
  if (log.length > CAPACITY) log.shift();
}

/** The intent in a response, or in the error that refers to it. */
function readIntent({ body }: LoggedRequest): { id: string; status: string; reference?: string } | undefined {
  const parsed = JSON.parse(body || 'null');
  const intent = parsed?.error?.payment_intent ?? parsed;
  if (intent?.object !== 'payment_intent') return undefined;
  return { id: intent.id, status: intent.status, reference: intent.metadata?.reference };
}

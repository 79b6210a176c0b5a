/** What was sent from this tab for one order. It outlives the page, so that a reload and the receipt can show it. */
export interface JournalEntries {
  /** Clicks on the form's button, including those of the bar. */
  readonly clicks: number;
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly n: number;
  readonly key: string;
  /** A copy of the page's request that the bar sent. */
  readonly twin: boolean;
  readonly outcome: RequestOutcome;
}

/**
 * - `waiting`: the request was sent, and there is no response yet.
 * - `responded`: the response came after `ms`. It is `replayed` if an earlier request stored it; `code` is the payment's
 *   status or the code of the problem.
 * - `never_left`: the network was cut before the request was sent.
 * - `response_lost`: the network was cut after the shop had received the request.
 * - `failed`: the real network failed; whether the request arrived is not known.
 * - `page_closed`: the page was closed before the response.
 */
export type RequestOutcome =
  | { readonly kind: 'waiting' | 'never_left' | 'response_lost' | 'failed' | 'page_closed' }
  | {
      readonly kind: 'responded';
      readonly status: number;
      readonly ms: number;
      readonly replayed: boolean;
      readonly code?: string | undefined;
    };

export const noEntries: JournalEntries = { clicks: 0, requests: [] };

export interface Journal {
  read(): JournalEntries;
  write(entries: JournalEntries): void;
}

/** If the storage is not available, or its content cannot be read, the journal is empty after a reload. */
export function createJournal(orderId: string, storage: () => Pick<Storage, 'getItem' | 'setItem'>): Journal {
  const name = `paidonce.demo.${orderId}`;
  return {
    read() {
      try {
        const entries = JSON.parse(storage().getItem(name) ?? 'null') as JournalEntries | null;
        return entries ? { ...entries, requests: entries.requests.map(markPageClosed) } : noEntries;
      } catch {
        return noEntries;
      }
    },
    write(entries) {
      try {
        storage().setItem(name, JSON.stringify(entries));
      } catch {
        // The entries are lost only by a reload.
      }
    },
  };
}

function markPageClosed(request: SentRequest): SentRequest {
  return request.outcome.kind === 'waiting' ? { ...request, outcome: { kind: 'page_closed' } } : request;
}

/** How many requests left the browser. */
export function countSent({ requests }: JournalEntries): number {
  return requests.filter(({ outcome }) => outcome.kind !== 'never_left').length;
}

/** The key of the last request, or of the next one if none was sent. */
export function keyOf({ requests }: JournalEntries, next: string | undefined): string | undefined {
  return requests.at(-1)?.key ?? next;
}

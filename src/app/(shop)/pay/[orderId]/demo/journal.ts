/**
 * What was sent from this tab for one order, and its outcomes. It outlives the page, so that a reload and the receipt can
 * show it.
 */
export interface JournalEntries {
  /** Clicks on the form's button, the bar's own included. */
  readonly clicks: number;
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly n: number;
  readonly key: string;
  /** Sent by the bar, beside the page's own. */
  readonly twin: boolean;
  readonly outcome: RequestOutcome;
}

/**
 * - `waiting`: it was sent, and there is no response yet.
 * - `responded`: with this status after this long. `replayed` when the response was stored by an earlier request; `code`
 *   is the payment's status or the code of the problem.
 * - `never_left`: the network was cut before it.
 * - `response_lost`: the shop had it when the network was cut.
 * - `failed`: the real network failed; whether it arrived is not known.
 * - `page_closed`: the page was closed while it waited.
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

/** If the storage is not available, or its content cannot be read, only the entries after a reload are lost. */
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
        // As above.
      }
    },
  };
}

function markPageClosed(request: SentRequest): SentRequest {
  return request.outcome.kind === 'waiting' ? { ...request, outcome: { kind: 'page_closed' } } : request;
}

/** How many really left the browser. */
export function countSent({ requests }: JournalEntries): number {
  return requests.filter(({ outcome }) => outcome.kind !== 'never_left').length;
}

/** The key of the last request, or of the next one while there was none. */
export function keyOf({ requests }: JournalEntries, next: string | undefined): string | undefined {
  return requests.at(-1)?.key ?? next;
}

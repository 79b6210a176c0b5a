/**
 * What was sent from this tab for one order, and what became of it. It outlives the page, so that a reload, and the
 * receipt, can still tell the story.
 */
export interface Story {
  /** Taps on the form's button, whoever made them. */
  readonly clicks: number;
  readonly requests: readonly SentRequest[];
}

export interface SentRequest {
  readonly n: number;
  readonly key: string;
  /** Put on the wire by the bar, beside the page's own. */
  readonly twin: boolean;
  readonly fate: Fate;
}

/**
 * - `waiting`: it left, and no answer has come.
 * - `answered`: with this status after this long. `replayed` when the answer was stored by an earlier request; `said` is
 *   the word in it: the payment's status, or the code of the problem.
 * - `never_left`: the line was cut before it.
 * - `answer_lost`: the shop had it when the line was cut.
 * - `failed`: the network gave up on it by itself; whether it arrived is not known.
 * - `left_behind`: the page was closed while it waited.
 */
export type Fate =
  | { readonly kind: 'waiting' | 'never_left' | 'answer_lost' | 'failed' | 'left_behind' }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly ms: number;
      readonly replayed: boolean;
      readonly said?: string | undefined;
    };

export const emptyStory: Story = { clicks: 0, requests: [] };

export interface Journal {
  read(): Story;
  write(story: Story): void;
}

/** Storage that is closed to us, or holds nonsense, costs the story after a reload and nothing else. */
export function createJournal(orderId: string, storage: () => Pick<Storage, 'getItem' | 'setItem'>): Journal {
  const entry = `paidonce.demo.${orderId}`;
  return {
    read() {
      try {
        const story = JSON.parse(storage().getItem(entry) ?? 'null') as Story | null;
        return story ? { ...story, requests: story.requests.map(leaveBehind) } : emptyStory;
      } catch {
        return emptyStory;
      }
    },
    write(story) {
      try {
        storage().setItem(entry, JSON.stringify(story));
      } catch {
        // As above.
      }
    },
  };
}

function leaveBehind(request: SentRequest): SentRequest {
  return request.fate.kind === 'waiting' ? { ...request, fate: { kind: 'left_behind' } } : request;
}

/** How many were put on the wire: what somebody listening on it would have counted. */
export function countSent({ requests }: Story): number {
  return requests.filter(({ fate }) => fate.kind !== 'never_left').length;
}

/** The key of the last request, or of the next one while there was none. */
export function keyOf({ requests }: Story, next: string | undefined): string | undefined {
  return requests.at(-1)?.key ?? next;
}

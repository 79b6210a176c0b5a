import type { Tone } from '#ui/notice.tsx';
import { countSent, type JournalEntries, type RequestOutcome, type SentRequest } from './journal.ts';

/** What the bar knows: what this tab sent, the state of the network, and what the shop and the provider have on record. */
export interface DemoState extends JournalEntries {
  readonly cut: boolean;
  readonly silent: boolean;
  /** The bank asks the shopper to confirm the payment. */
  readonly awaitsShopper: boolean;
  /** Of the key's record; undefined while there is none. */
  readonly status: 'in_progress' | 'completed' | 'failed_retryable' | 'unknown' | 'expired' | undefined;
  /** How many are in the provider's ledger, refunded ones included. */
  readonly charges: number;
  /** How many of them were paid back. */
  readonly refunded: number;
  /** The order's total, formatted. */
  readonly amount: string;
}

export interface DemoCopy {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
}

/** The most important fact of the state. The text says nothing that the state does not show. */
export function demoCopy(state: DemoState): DemoCopy {
  if (state.charges > 1) return overcharged(state);
  if (state.cut) return cutCopy(state);
  if (state.status === 'completed') return endCopy(state);
  if (state.silent) return silentCopy(state);
  if (state.status === 'unknown' && state.awaitsShopper) {
    return {
      tone: 'unknown',
      title: 'The bank waits for you to confirm it is you.',
      body: 'Nothing is charged before that, and nothing is sent again. Cancelling stops it at the bank, and the key is free again.',
    };
  }
  if (state.status === 'unknown') {
    return {
      tone: 'unknown',
      title: 'The outcome is not known yet.',
      body: 'Only evidence ends this: the bank’s webhook, or its answer to a question. Waiting does not make it a failure.',
    };
  }
  if (state.status === 'failed_retryable') {
    return {
      tone: 'warn',
      title: 'It is proven that nothing was charged.',
      body: 'So the same key may be carried out again.',
    };
  }
  if (state.status === 'in_progress' || state.requests.some(({ outcome }) => outcome.kind === 'waiting')) {
    return {
      tone: 'busy',
      title: 'The payment is being carried out.',
      body: 'The shop wrote the key down before it did anything else.',
    };
  }
  return idleCopy(state);
}

function overcharged({ charges }: DemoState): DemoCopy {
  return {
    tone: 'danger',
    title: `The bank charged ${charges} times.`,
    body: 'That must never happen. If you see this, you have found a bug: please report it.',
  };
}

function cutCopy({ requests, charges, amount }: DemoState): DemoCopy {
  if (!requests.some(({ outcome }) => outcome.kind === 'response_lost')) {
    return {
      tone: 'warn',
      title: 'Nothing gets out.',
      body: 'The shop and the bank know of nothing. The page keeps trying by itself, always with the same key.',
    };
  }
  const taken = charges === 1 ? `The bank has taken ${amount}, and t` : 'T';
  return {
    tone: 'warn',
    title: 'The shop has the payment; its answer was lost.',
    body: `${taken}his page cannot know. So it repeats the payment, under the same key.`,
  };
}

function silentCopy({ charges, status, amount }: DemoState): DemoCopy {
  if (charges === 0) {
    return {
      tone: 'busy',
      title: 'The bank does not answer for this order.',
      body: 'It still does what it is asked. It only says nothing about it, to anyone.',
    };
  }
  return {
    tone: 'unknown',
    title: `The bank has taken ${amount} and says nothing.`,
    body:
      status === 'unknown'
        ? 'So the record says unknown, not failed. No second payment is sent before the bank has responded.'
        : 'The shop waits for its answer, and will not guess.',
  };
}

function endCopy(state: DemoState): DemoCopy {
  const sent = countSent(state);
  if (state.refunded > 0) {
    return {
      tone: 'plain',
      title: `Charged once, and ${state.amount} was refunded.`,
      body: 'The refund has a key of its own, and is as safe to repeat as the payment.',
    };
  }
  if (state.charges === 0) {
    return {
      tone: 'plain',
      title: 'Declined: nothing was charged.',
      body: 'That is an answer like any other. It is stored, and a repeat of the request would get it again.',
    };
  }
  return { tone: 'ok', title: `${howMany(sent, 'request')} sent, one charge.`, body: lesson(state, sent) };
}

/** A bank that answers takes less. */
const slowMs = 2_000;

/** What this run has shown, derived from its requests. */
function lesson({ clicks, requests }: DemoState, sent: number): string {
  const replayed = requests.find(({ outcome }) => outcome.kind === 'responded' && outcome.replayed);
  const refused = requests.find(({ outcome }) => outcome.kind === 'responded' && outcome.status === 409);
  if (requests.some(({ twin }) => twin)) {
    const other = refused
      ? `Try ${refused.n} got “already in progress”`
      : `Try ${replayed?.n ?? 2} got the stored answer of the first`;
    return `The same payment arrived ${sent === 2 ? 'twice' : `${sent} times`}. The key let one of them through. ${other}. Without the key, each would have been a charge.`;
  }
  if (replayed && sent > 1) {
    return `Try ${replayed.n} was answered from the record; the bank was not asked again. Without the key, the shop would have taken it for a second purchase.`;
  }
  if (requests.some(({ outcome }) => outcome.kind === 'never_left')) {
    return 'What never left could not charge, and what got through carried the same key as every try before it.';
  }
  if (requests.some(({ outcome }) => outcome.kind === 'failed')) {
    return 'The network lost a try, and the page could not know whether it had arrived. So the next one carried the same key.';
  }
  if (requests.some(({ outcome }) => outcome.kind === 'responded' && outcome.code === 'pending')) {
    return 'The shop had no answer and did not make one up. When the bank answered again, the record was completed with what it said.';
  }
  const slowest = Math.max(
    0,
    ...requests.map(({ outcome }) => (outcome.kind === 'responded' ? outcome.ms : 0)),
  );
  if (slowest >= slowMs) {
    return `The bank charged and took ${(slowest / 1000).toFixed(0)} s to say so. The shop waited, guessed nothing, and asked for nothing twice.`;
  }
  if (clicks > sent) {
    return `${howMany(clicks, 'click')}, but the page knew that the first was under way. Had it sent more, the key would have stopped them.`;
  }
  return 'The plain case. Now try to spoil it.';
}

function idleCopy({ clicks, requests }: DemoState): DemoCopy {
  if (requests.length > 0) {
    return {
      tone: 'plain',
      title: 'No request is on its way.',
      body: 'The form says what comes next.',
    };
  }
  if (clicks > 0) {
    return {
      tone: 'plain',
      title: 'Nothing was sent.',
      body: 'The form asks for something first; it says what.',
    };
  }
  return {
    tone: 'plain',
    title: 'Nothing has been sent yet.',
    body: 'Choose a mishap. It presses the form’s own button for you, then really happens to the real request.',
  };
}

export function howMany(count: number, thing: string): string {
  const numerals = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six'];
  return `${numerals[count] ?? count} ${thing}${count === 1 ? '' : 's'}`;
}

export function outcomeCopy({ outcome, twin }: SentRequest): string {
  const text = copyOf(outcome);
  return twin ? `${text} (the twin)` : text;
}

function copyOf(outcome: RequestOutcome): string {
  switch (outcome.kind) {
    case 'waiting':
      return 'waiting for an answer';
    case 'never_left':
      return 'never left this page';
    case 'response_lost':
      return 'arrived; its answer was lost';
    case 'failed':
      return 'lost by the network itself';
    case 'page_closed':
      return 'the page was closed first';
    case 'responded':
      return `${outcome.status} in ${duration(outcome.ms)}${responseCopy(outcome.code, outcome.replayed)}`;
  }
}

function responseCopy(code: string | undefined, replayed: boolean): string {
  if (replayed) return ': the stored answer';
  if (code === 'succeeded') return ': paid';
  if (code === 'pending') return ': not known yet';
  if (code === 'idempotency_key_in_progress') return ': already in progress';
  return code ? `: ${code.replaceAll('_', ' ')}` : '';
}

function duration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

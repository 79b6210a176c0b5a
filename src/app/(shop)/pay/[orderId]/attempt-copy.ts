import { type AttemptState, type BusyState, maxTries } from '#idempotency/react.ts';
import type { Tone } from '#ui/notice.tsx';
import type { Pace } from '#ui/pay/pay-status.tsx';
import type { PayAnswer } from '#app/trpc/pay.ts';
import { declineWords } from './decline-copy.ts';
import { followingWords } from './following-copy.ts';
import { refusalWords } from './refusal-copy.ts';
import { checkingWords, referenceOf, retryWords } from './under-way-copy.ts';

/**
 * What the pay page says in each state of the attempt, and what a tap on its button does then.
 *
 * - `pay`: sends the form.
 * - `hurry`: ends the pause of an attempt that is going on by itself, here or in another tab.
 * - `bank`: opens the bank's page in this tab.
 * - `look`: asks the server how the order stands.
 * - `leave`: opens the receipt, as soon as there is a server to open it from.
 * - `none`: the tap is safe and changes nothing, because the answer is on its way.
 *
 * Nothing here calls an unknown a failure, and every state names the next step.
 */
export interface Words {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
  /** What the shopper quotes when they write to the shop. */
  readonly reference?: string;
  /** Which try this is and when the next one comes. For the eyes; the words say the same without the numbers. */
  readonly pace?: Pace | undefined;
  readonly button: { readonly label: string; readonly tap: Tap; readonly busy: boolean };
}

export type Tap = 'pay' | 'hurry' | 'bank' | 'look' | 'leave' | 'none';

export interface Surroundings {
  /** The total, as it is shown. */
  readonly amount: string;
  /** What the shop knows the order by. */
  readonly orderNumber: string;
  /** The attempt's name; undefined until JavaScript runs. */
  readonly key: string | undefined;
  /** The browser's own belief. It chooses words and withholds nothing. */
  readonly online: boolean;
  /** The receipt is to be opened, and the server that has it does not answer. */
  readonly serverAway: boolean;
  /** The server sees a payment for this order under way which this form has not started. */
  readonly pendingElsewhere: boolean;
}

export function attemptWords(state: AttemptState<PayAnswer>, around: Surroundings): Words {
  const pay = { label: `Pay ${around.amount}`, tap: 'pay', busy: false } as const;
  switch (state.kind) {
    case 'ready':
      return readyWords(around);
    case 'following':
      return followingWords(state, around);
    case 'done':
      return state.answer.status === 'succeeded'
        ? paidWords(around)
        : { tone: 'danger', ...declineWords(state.answer.declineCode), button: pay };
    case 'refused':
      return refusalWords(state.problem, around);
    case 'gave_up':
      return {
        tone: 'unknown',
        title: `No answer after ${state.tries} tries.`,
        body: 'The payment may have gone through; nothing is known to have failed. Asking again goes on with the same payment: you will not be charged twice.',
        reference: referenceOf(around),
        button: { label: 'Ask again', tap: 'pay', busy: false },
      };
    default:
      return busyWords(state, around);
  }
}

/** Paid stays true, whether there is a way to the receipt or not. */
function paidWords(around: Surroundings): Words {
  const paid = {
    tone: 'ok',
    title: 'Paid.',
    button: { label: 'Open the receipt', tap: 'leave', busy: false },
  } as const;
  if (around.online && !around.serverAway) {
    return { ...paid, body: 'You were charged once. Opening your receipt…' };
  }
  const why = around.online
    ? 'The shop does not answer at this moment: your receipt opens by itself as soon as it does.'
    : 'You are offline: your receipt opens as soon as the connection is back.';
  return { ...paid, body: `You were charged once. ${why}`, reference: referenceOf(around) };
}

function busyWords(state: BusyState, around: Surroundings): Words {
  switch (state.kind) {
    case 'restoring':
      return state.tries === 0 ? readyWords(around) : restoringWords(state, around);
    case 'sending':
      if (state.after !== undefined) return retryWords(state, state.after, around);
      return {
        tone: 'busy',
        title: 'Paying…',
        body: 'Stay or leave, tap or wait: it is one payment. This page finds it again when you come back.',
        button: { label: 'Paying…', tap: 'none', busy: true },
      };
    case 'waiting':
      return retryWords(state, state.why, around);
    case 'checking':
      return checkingWords(state, around);
  }
}

/** Before there is anything to send: Stripe is being given the card. */
export const readingWords: Words = {
  tone: 'busy',
  title: 'Handing your card to Stripe…',
  body: 'It goes there straight from this page. Nothing is charged before that is done.',
  button: { label: 'Paying…', tap: 'none', busy: true },
};

/** Also what the page says before JavaScript runs, and before it has looked into the browser's memory. */
function readyWords({ amount, pendingElsewhere }: Surroundings): Words {
  const button = { label: `Pay ${amount}`, tap: 'pay', busy: false } as const;
  if (pendingElsewhere) {
    return {
      tone: 'unknown',
      title: 'A payment for this order is already under way.',
      body: 'It was started in another window or on another device. Until that is settled, this form cannot charge you. This page follows it.',
      button,
    };
  }
  return {
    tone: 'plain',
    title: 'You will be charged once.',
    body: 'Even if you tap twice, reload, or lose the connection on the way.',
    button,
  };
}

function restoringWords(state: BusyState & { kind: 'restoring' }, { amount, online }: Surroundings): Words {
  const paused = state.resumesAt !== undefined;
  return {
    tone: 'busy',
    title: 'Finding out what became of your earlier payment…',
    body: online
      ? 'You started to pay from this browser before. Nothing is sent until that is clear.'
      : 'You are offline. As soon as the connection is back, this page goes on by itself. Nothing is sent until it is clear what became of it.',
    pace:
      state.tries > 1 || paused
        ? { tries: state.tries, of: maxTries, resumesAt: state.resumesAt }
        : undefined,
    button: paused
      ? { label: 'Ask again now', tap: 'hurry', busy: false }
      : { label: `Pay ${amount}`, tap: 'none', busy: true },
  };
}

import type { AttemptState } from '#idempotency/react.ts';
import type { Tone } from '#ui/notice.tsx';
import type { PayAnswer } from '../../../trpc/pay.ts';
import { declineWords } from './decline-words.ts';
import { refusalWords } from './refusal-words.ts';

/**
 * What the pay page says in each state of the attempt, and what a tap on its button does then.
 *
 * - `pay`: sends the form. - `hurry`: ends the pause of an attempt that is going on by itself.
 * - `bank`: opens the bank's page in this tab. - `look`: asks the server how the order stands. - `leave`: opens the receipt. - `none`: the tap is safe and changes
 * nothing, because the answer is on its way.
 *
 * Nothing here calls an unknown a failure, and every state names the next step.
 */
export interface Words {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
  /** What the shopper quotes when they write to the shop. */
  readonly reference?: string;
  readonly button: { readonly label: string; readonly tap: Tap; readonly busy: boolean };
}

export type Tap = 'pay' | 'hurry' | 'bank' | 'look' | 'leave' | 'none';

export interface Surroundings {
  /** The total, as it is shown. */
  readonly amount: string;
  /** False until JavaScript runs. */
  readonly alive: boolean;
  /** The server sees a payment for this order under way which this form has not started. */
  readonly pendingElsewhere: boolean;
}

export function attemptWords(state: AttemptState<PayAnswer>, around: Surroundings): Words {
  const pay = { label: `Pay ${around.amount}`, tap: 'pay', busy: false } as const;
  switch (state.kind) {
    case 'restoring':
      if (!around.alive) return readyWords(around);
      return {
        tone: 'busy',
        title: 'Checking whether an earlier payment went through…',
        body: 'You started to pay from this browser before. Nothing is sent until that is clear.',
        button: { ...pay, tap: 'none', busy: true },
      };
    case 'ready':
      return readyWords(around);
    case 'sending':
      return {
        tone: 'busy',
        title: state.tries === 1 ? 'Paying…' : `Sending the same payment again, try ${state.tries}…`,
        body: 'Stay or leave, tap or wait: it is one payment. This page finds it again when you come back.',
        button: { label: 'Paying…', tap: 'none', busy: true },
      };
    case 'waiting':
      return waitingWords(state);
    case 'checking':
      if (state.actionUrl !== undefined) {
        return {
          tone: 'unknown',
          title: 'Your bank wants to make sure it is you.',
          body: 'Confirm the payment on your bank’s page. It brings you back here, and the payment goes on by itself.',
          reference: state.operationId.slice(0, 8),
          button: { label: 'Go to your bank', tap: 'bank', busy: false },
        };
      }
      return {
        tone: 'unknown',
        title: 'Your payment is being checked with the bank.',
        body: 'Do not pay again another way; tapping is safe. This page goes on by itself.',
        reference: state.operationId.slice(0, 8),
        button: { label: 'Check now', tap: 'hurry', busy: false },
      };
    case 'done':
      return state.answer.status === 'succeeded'
        ? {
            tone: 'ok',
            title: 'Paid.',
            body: 'You were charged once. Opening your receipt…',
            button: { label: 'Open the receipt', tap: 'leave', busy: false },
          }
        : { tone: 'danger', ...declineWords(state.answer.declineCode), button: pay };
    case 'refused':
      return refusalWords(state.problem, around);
    case 'gave_up':
      return {
        tone: 'unknown',
        title: `No answer after ${state.tries} tries.`,
        body: 'The payment may have gone through; nothing is known to have failed. Asking again goes on with the same payment: you will not be charged twice.',
        button: { label: 'Ask again', tap: 'pay', busy: false },
      };
  }
}

/** Before there is anything to send: Stripe is being given the card. */
export const readingWords: Words = {
  tone: 'busy',
  title: 'Handing your card to Stripe…',
  body: 'It goes there straight from this page. Nothing is charged before that is done.',
  button: { label: 'Paying…', tap: 'none', busy: true },
};

function readyWords({ amount, pendingElsewhere }: Surroundings): Words {
  const button = { label: `Pay ${amount}`, tap: 'pay', busy: false } as const;
  if (pendingElsewhere) {
    return {
      tone: 'unknown',
      title: 'A payment for this order is already under way.',
      body: 'It was started in another window or on another device. Until that is settled, this form cannot charge you.',
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

function waitingWords(state: AttemptState<PayAnswer> & { kind: 'waiting' }): Words {
  const button = { label: 'Paying…', tap: 'none', busy: true } as const;
  const tried = `Try ${state.tries} is over; the next one comes by itself.`;
  switch (state.why) {
    case 'no_answer':
      return {
        tone: 'warn',
        title: 'No answer yet.',
        body: `The payment is safe to repeat: you will not be charged twice. ${tried}`,
        button: { label: 'Ask again now', tap: 'hurry', busy: false },
      };
    case 'in_progress':
      return {
        tone: 'busy',
        title: 'Your payment is being carried out.',
        body: 'An earlier tap is still at work; its answer will be yours. There is nothing you need to do.',
        button,
      };
    case 'unavailable':
      return {
        tone: 'warn',
        title: 'The shop cannot take payments at this moment.',
        body: `Your payment keeps its place: you will not be charged twice. ${tried}`,
        button,
      };
  }
}

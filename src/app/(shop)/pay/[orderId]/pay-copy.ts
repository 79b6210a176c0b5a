import type { PayResult } from '#app/trpc/pay.ts';
import type { SubmissionState } from '#idempotency/react.ts';
import { declineOf } from '#payments/declines.ts';
import { busyCopy, followingCopy } from './busy-copy.ts';
import { type PayContext, type PayCopy, payButton, referenceOf } from './copy-parts.ts';
import { refusalCopy } from './refusal-copy.ts';

/** What the page says in a state of the submission. */
export function payCopy(state: SubmissionState<PayResult>, context: PayContext): PayCopy {
  switch (state.kind) {
    case 'ready':
      if (context.pendingElsewhere) return readyCopy(context);
      if (context.pendingOutdated) return underWayCopy(context);
      if (state.nothingHappened) return nothingHappenedCopy(context);
      return state.notArrived ? notArrivedCopy(context) : readyCopy(context);
    case 'restoring':
      return state.tries === 0 ? beforeRestoringCopy(context) : busyCopy(state, context);
    case 'following':
      return followingCopy(state, context);
    case 'done':
      return state.result.status === 'succeeded'
        ? paidCopy(context)
        : { tone: 'danger', ...declineCopy(state.result.declineCode), button: payButton(context) };
    case 'refused':
      return refusalCopy(state.problem, context);
    case 'gave_up':
      return {
        tone: 'unknown',
        title: `No answer after ${state.tries} tries.`,
        body: 'The payment may have gone through; nothing is known to have failed. Trying again, or coming back online, continues the same payment: you will not be charged twice.',
        reference: referenceOf(context),
        button: { label: 'Try again', action: 'pay', busy: false },
      };
    default:
      return busyCopy(state, context);
  }
}

/** An earlier payment from this browser was found not to have happened. */
function nothingHappenedCopy(context: PayContext): PayCopy {
  return {
    tone: 'plain',
    title: 'The payment did not happen, nothing was charged.',
    body: 'You can pay now.',
    button: payButton(context),
  };
}

/** What was sent from this browser before may still be on its way, so nothing is said about what becomes of it. */
function notArrivedCopy(context: PayContext): PayCopy {
  return {
    tone: 'plain',
    title: 'Nothing has been charged so far.',
    body: 'The shop has no payment from this page. You can pay now: should an earlier one still arrive, you are charged once.',
    button: payButton(context),
  };
}

function readyCopy(context: PayContext): PayCopy {
  const button = payButton(context);
  if (context.pendingElsewhere) {
    return {
      tone: 'unknown',
      title: 'A payment for this order is already under way.',
      body: 'It was started in another window or on another device. Until that has ended, this form cannot charge you. This page follows it.',
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

/** Before JavaScript runs, and before the browser's storage has been read. */
function beforeRestoringCopy(context: PayContext): PayCopy {
  return context.pendingElsewhere ? underWayCopy(context) : readyCopy(context);
}

/** Whose payment it is, and whether it has ended, is not known yet. */
function underWayCopy(context: PayContext): PayCopy {
  return {
    tone: 'busy',
    title: 'A payment for this order is under way.',
    body: 'Checking what became of it… This form does not charge you before that is clear.',
    button: payButton(context),
  };
}

/** Says that the order is paid even while the receipt cannot be opened. */
function paidCopy(context: PayContext): PayCopy {
  const paid = {
    tone: 'ok',
    title: 'Paid.',
    button: { label: 'Open the receipt', action: 'openReceipt', busy: false },
  } as const;
  if (context.online && !context.serverDown) {
    return { ...paid, body: 'You were charged once. Opening your receipt…' };
  }
  const why = context.online
    ? 'The shop does not answer at this moment: your receipt opens by itself as soon as it does.'
    : 'You are offline: your receipt opens as soon as the connection is back.';
  return { ...paid, body: `You were charged once. ${why}`, reference: referenceOf(context) };
}

function declineCopy(code: string | undefined): { readonly title: string; readonly body: string } {
  const { title, advice } = declineOf(code);
  return { title, body: `Nothing was charged. ${advice}` };
}

/** While Stripe makes a payment method of the card; until then there is no command to send. */
export const readingCardCopy: PayCopy = {
  tone: 'busy',
  title: 'Handing your card to Stripe…',
  body: 'It goes there straight from this page. Nothing is charged before that is done.',
  button: { label: 'Paying…', action: 'none', busy: true },
};

import type { PayResult } from '#app/trpc/pay.ts';
import {
  type BusyState,
  maxTries,
  type RefusalProblem,
  type SubmissionState,
  type WaitReason,
} from '#idempotency/react.ts';
import { declineOf } from '#payments/declines.ts';
import type { Tone } from '#ui/notice.tsx';
import type { Pace } from '#ui/pay/pay-status.tsx';

/**
 * The texts of the pay page in each state of the submission, and what its button does:
 *
 * - `pay`: submits the form.
 * - `retryNow`: ends the pause before the next try, in this tab or in the one that sends.
 * - `openBank`: opens the bank's page in this tab.
 * - `refresh`: has the server render the page again with the order's current status.
 * - `openReceipt`: opens the receipt as soon as the server responds.
 * - `none`: nothing, because a request is in flight.
 *
 * No text calls an unknown outcome a failure, and every state names the next step.
 */
export interface PayCopy {
  readonly tone: Tone;
  readonly title: string;
  readonly body: string;
  /** What the shopper quotes to the shop. */
  readonly reference?: string;
  /** The number of tries and the time of the next one. Screen readers get only the texts, which have no numbers. */
  readonly pace?: Pace | undefined;
  readonly button: { readonly label: string; readonly action: ButtonAction; readonly busy: boolean };
}

export type ButtonAction = 'pay' | 'retryNow' | 'openBank' | 'refresh' | 'openReceipt' | 'none';

export interface PayContext {
  /** The total, formatted. */
  readonly amount: string;
  readonly orderNumber: string;
  /** The idempotency key; undefined until JavaScript runs. */
  readonly key: string | undefined;
  /** As the browser reports it, which is often wrong. It changes texts and never disables the button. */
  readonly online: boolean;
  /** Where the outcome is sent by e-mail; undefined while nothing was sent, or if the shop sends no e-mails. */
  readonly notifiedAt: string | undefined;
  /** The bank's page is about to be opened. */
  readonly openingBank: boolean;
  /** The request has been under way for longer than a shopper expects. */
  readonly slow: boolean;
  /** The receipt is to be opened, and the server does not respond. */
  readonly serverDown: boolean;
  /** The order has a pending payment that this form did not start. */
  readonly pendingElsewhere: boolean;
}

export function payCopy(state: SubmissionState<PayResult>, context: PayContext): PayCopy {
  switch (state.kind) {
    case 'ready':
      return state.nothingHappened && !context.pendingElsewhere
        ? nothingHappenedCopy(context)
        : readyCopy(context);
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

function payButton({ amount }: PayContext) {
  return { label: `Pay ${amount}`, action: 'pay', busy: false } as const;
}

const checkNow = { label: 'Check now', action: 'retryNow', busy: false } as const;

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

function busyCopy(state: BusyState, context: PayContext): PayCopy {
  switch (state.kind) {
    case 'restoring':
      return state.tries === 0 ? beforeRestoringCopy(context) : restoringCopy(state, context);
    case 'sending':
      if (state.after !== undefined) return retryCopy(state, state.after, context);
      return payingCopy(context);
    case 'waiting':
      return retryCopy(state, state.why, context);
    case 'checking':
      return checkingCopy(state, context);
  }
}

function payingCopy({ slow, online }: PayContext): PayCopy {
  const button = { label: 'Paying…', action: 'none', busy: true } as const;
  if (!slow) {
    return {
      tone: 'busy',
      title: 'Paying…',
      body: 'You can close this page. You will be charged once. This page finds your payment again when you come back.',
      button,
    };
  }
  return {
    tone: 'busy',
    title: online ? 'Still paying: the bank is taking its time.' : 'You are offline.',
    body: online
      ? 'Nothing is wrong so far. You can close this page: you will be charged once, and it finds your payment again.'
      : 'As soon as the connection is back, the payment goes on by itself. You will not be charged twice.',
    button,
  };
}

/** While Stripe makes a payment method of the card; until then there is no command to send. */
export const readingCardCopy: PayCopy = {
  tone: 'busy',
  title: 'Handing your card to Stripe…',
  body: 'It goes there straight from this page. Nothing is charged before that is done.',
  button: { label: 'Paying…', action: 'none', busy: true },
};

/** Before JavaScript runs, and before the browser's storage has been read. */
function beforeRestoringCopy(context: PayContext): PayCopy {
  if (!context.pendingElsewhere) return readyCopy(context);
  return {
    tone: 'busy',
    title: 'A payment for this order is under way.',
    body: 'Checking what became of it… This form does not charge you before that is clear.',
    button: payButton(context),
  };
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

function restoringCopy(state: BusyState & { kind: 'restoring' }, { amount, online }: PayContext): PayCopy {
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
      ? { label: 'Try again now', action: 'retryNow', busy: false }
      : { label: `Pay ${amount}`, action: 'none', busy: true },
  };
}

function declineCopy(code: string | undefined): { readonly title: string; readonly body: string } {
  const { title, advice } = declineOf(code);
  return { title, body: `Nothing was charged. ${advice}` };
}

/**
 * The text is the same while a request is in flight and while the page waits, so that a screen reader announces once that
 * the page retries, and not every try.
 */
function retryCopy(
  state: BusyState & { kind: 'sending' | 'waiting' },
  why: WaitReason,
  { online }: PayContext,
): PayCopy {
  const paused = state.kind === 'waiting';
  const button = { label: 'Paying…', action: 'none', busy: true } as const;
  const pace = { tries: state.tries, of: maxTries, resumesAt: paused ? state.resumesAt : undefined };
  if (why === 'in_progress') {
    return {
      tone: 'busy',
      title: 'Your payment is already being processed.',
      body: 'There is nothing you need to do. This page shows the result.',
      button,
    };
  }
  if (why === 'unavailable') {
    return {
      tone: 'warn',
      title: 'The shop cannot take payments at this moment.',
      body: 'Your payment keeps its place and is sent again by itself: you will not be charged twice.',
      pace,
      button,
    };
  }
  return {
    tone: 'warn',
    title: online ? 'No answer yet. It is sent again by itself.' : 'You are offline.',
    body: online
      ? 'The payment is safe to repeat: you will not be charged twice.'
      : 'As soon as the connection is back, the payment goes on by itself. You will not be charged twice.',
    pace,
    button: paused ? { label: 'Try again now', action: 'retryNow', busy: false } : button,
  };
}

function checkingCopy(state: BusyState & { kind: 'checking' }, context: PayContext): PayCopy {
  const reference = referenceOf(context);
  if (state.actionUrl !== undefined) {
    return {
      tone: 'unknown',
      title: 'Your bank wants to make sure it is you.',
      body: context.openingBank
        ? 'Its page opens by itself. After you have confirmed the payment there, it brings you back here.'
        : 'Confirm the payment on your bank’s page. It brings you back here, and the payment goes on by itself.',
      reference,
      button: { label: 'Go to your bank', action: 'openBank', busy: false },
    };
  }
  return {
    tone: 'unknown',
    title: 'Your payment is being checked with the bank.',
    body: context.online
      ? `Please don’t pay again. We are checking with your bank and will update this page.${notifyCopy(context)}`
      : 'You are offline. Please don’t pay again: this page goes on by itself as soon as the connection is back.',
    reference,
    button: checkNow,
  };
}

/** Promised only where e-mails are sent. */
function notifyCopy({ notifiedAt }: PayContext): string {
  if (notifiedAt === undefined) return '';
  return ` You can close it: we will e-mail you at ${notifiedAt} as soon as your bank answers.`;
}

/** Operators can search for both parts; the key distinguishes the payments of one order. */
function referenceOf({ orderNumber, key }: PayContext): string {
  return key ? `${orderNumber} · ${key.slice(0, 8)}` : orderNumber;
}

const followsOtherTab = 'This tab follows it, and goes on with it should the other one be closed.';

/** Another tab of this browser is paying. The text shows the state of that tab, and says that it is another tab's. */
function followingCopy(
  { otherTab }: SubmissionState<PayResult> & { kind: 'following' },
  context: PayContext,
): PayCopy {
  switch (otherTab?.kind) {
    case undefined:
      return {
        tone: 'busy',
        title: 'This order is being paid in another tab.',
        body: followsOtherTab,
        button: checkNow,
      };
    case 'restoring':
      return {
        tone: 'busy',
        title: 'Another tab is finding out what became of your earlier payment.',
        body: followsOtherTab,
        button: checkNow,
      };
    case 'sending':
    case 'waiting': {
      const why = otherTab.kind === 'waiting' ? otherTab.why : otherTab.after;
      if (why === undefined || why === 'in_progress') {
        return {
          tone: 'busy',
          title: 'This order is being paid in another tab.',
          body: followsOtherTab,
          button: { label: 'Being paid in another tab…', action: 'none', busy: true },
        };
      }
      const copy = retryCopy(otherTab, why, context);
      return { ...copy, title: `In another tab: ${lowerFirst(copy.title)}` };
    }
    case 'checking': {
      const copy = checkingCopy(otherTab, context);
      // Any tab may open the bank's page.
      if (otherTab.actionUrl !== undefined) return copy;
      return { ...copy, title: 'The payment from your other tab is being checked with the bank.' };
    }
  }
}

function lowerFirst(sentence: string): string {
  return sentence.slice(0, 1).toLowerCase() + sentence.slice(1);
}

/** The command had no effect, or can have none under this key. */
function refusalCopy(problem: RefusalProblem, context: PayContext): PayCopy {
  const { pendingElsewhere, serverDown } = context;
  const later = serverDown
    ? ' The shop does not answer at this moment: the order opens by itself as soon as it does.'
    : '';
  const pay = payButton(context);
  switch (problem.code) {
    case 'payment_exists_for_reference':
      if (problem.extensions.paymentStatus === 'succeeded') {
        return {
          tone: 'ok',
          title: 'This order is already paid.',
          body: `It was paid in another window or on another device. Nothing was charged now.${later}`,
          button: { label: 'Open the receipt', action: 'openReceipt', busy: false },
        };
      }
      if (!pendingElsewhere) {
        return {
          tone: 'plain',
          title: 'The other payment ended without a charge.',
          body: 'You can pay here now.',
          button: pay,
        };
      }
      return {
        tone: 'unknown',
        title: 'Another payment for this order is under way.',
        body: 'It was started in another window or on another device and is being checked. This page follows it.',
        button: { label: 'Check now', action: 'refresh', busy: false },
      };
    case 'idempotency_key_reused':
      return {
        tone: 'warn',
        title: 'Nothing was charged.',
        body: 'This form still carried the name of an earlier payment. It has a new one now: Pay starts afresh.',
        button: pay,
      };
    case 'idempotency_key_expired':
      return {
        tone: 'warn',
        title: 'Nothing was charged just now.',
        body: 'This form still carried an earlier payment, which ended a long time ago and is not repeated. Pay starts a new one; an order that is paid is never charged again.',
        button: pay,
      };
    case 'order_cancelled':
      return {
        tone: 'danger',
        title: 'This order was cancelled.',
        body: `Nothing was charged. Place a new order in the shop if you still want it.${later}`,
        button: { label: 'See the order', action: 'openReceipt', busy: false },
      };
    case 'too_many_attempts':
      return {
        tone: 'danger',
        title: 'Too many payments were tried for this order.',
        body: 'Nothing was charged now. Ask your bank why it declines the card; pay here again in an hour.',
        button: pay,
      };
    case 'payment_canceled':
      return {
        tone: 'warn',
        title: 'The payment did not happen.',
        body: 'It got lost on the way to the bank and was stopped there: nothing was charged. You can pay now.',
        button: pay,
      };
    case 'payment_method_unknown':
      return {
        tone: 'danger',
        title: 'This card is not known.',
        body: 'Nothing was charged. Enter the card again or choose another one, then pay.',
        button: pay,
      };
    case 'amount_not_chargeable':
      return {
        tone: 'danger',
        title: 'This amount cannot be paid by card.',
        body: 'Nothing was charged. Banks take no card payment this small, or this large; please contact the shop.',
        button: pay,
      };
    case 'provider_rejected':
      return {
        tone: 'danger',
        title: 'This card cannot be used here.',
        body: 'Nothing was charged. Choose another card, then pay. The shop has been notified.',
        button: pay,
      };
    case 'BAD_REQUEST':
      return {
        tone: 'danger',
        title: 'The form was not accepted.',
        body: 'Nothing was charged. Check the e-mail address and the card, then pay.',
        button: pay,
      };
    case 'NOT_FOUND':
      return {
        tone: 'danger',
        title: 'This order no longer exists.',
        body: 'Nothing was charged. The shop’s shelves are where you left them.',
        button: { label: 'Check again', action: 'refresh', busy: false },
      };
    default:
      return {
        tone: 'danger',
        title: 'The payment was not accepted.',
        body: ['Nothing was charged.', problem.message, problem.action].filter(Boolean).join(' '),
        button: pay,
      };
  }
}

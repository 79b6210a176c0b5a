import type { PayResult } from '#app/trpc/pay.ts';
import { type BusyState, maxTries, type SubmissionState, type WaitReason } from '#idempotency/react.ts';
import { checkNow, type PayContext, type PayCopy, referenceOf } from './copy-parts.ts';

/** While a request is in flight or will be sent automatically. */
export function busyCopy(state: BusyState, context: PayContext): PayCopy {
  switch (state.kind) {
    case 'restoring':
      return restoringCopy(state, context);
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
      body: confirmationCopy(context),
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

function confirmationCopy({ online, cancelFailed, openingBank }: PayContext): string {
  if (!online)
    return 'You are offline. Once the connection is back, confirm the payment on your bank’s page, or cancel it.';
  if (cancelFailed)
    return 'It is not clear yet whether the payment was cancelled. Cancel again in a moment, or confirm the payment on your bank’s page.';
  if (openingBank)
    return 'Its page opens by itself. After you have confirmed the payment there, it brings you back here.';
  return 'Confirm the payment on your bank’s page. It brings you back here, and the payment goes on by itself.';
}

/** Promised only where e-mails are sent. */
function notifyCopy({ notifiedAt }: PayContext): string {
  if (notifiedAt === undefined) return '';
  return ` You can close it: we will e-mail you at ${notifiedAt} as soon as your bank answers.`;
}

const followsOtherTab = 'This tab follows it, and goes on with it should the other one be closed.';

/** Another tab of this browser is paying. The text shows the state of that tab, and says that it is another tab's. */
export function followingCopy(
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

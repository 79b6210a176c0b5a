import { type BusyState, maxTries, type WaitReason } from '#idempotency/react.ts';
import type { Surroundings, Words } from './attempt-copy.ts';

/**
 * Between the tries the words stay the same, whether a request is out or a pause is running: a screen reader hears once
 * that it goes on by itself, and not every step of it.
 */
export function retryWords(
  state: BusyState & { kind: 'sending' | 'waiting' },
  why: WaitReason,
  { online }: Surroundings,
): Words {
  const paused = state.kind === 'waiting';
  const button = { label: 'Paying…', tap: 'none', busy: true } as const;
  const pace = { tries: state.tries, of: maxTries, resumesAt: paused ? state.resumesAt : undefined };
  if (why === 'in_progress') {
    return {
      tone: 'busy',
      title: 'Your payment is being carried out.',
      body: 'An earlier tap is still at work; its answer will be yours. There is nothing you need to do.',
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
    button: paused ? { label: 'Ask again now', tap: 'hurry', busy: false } : button,
  };
}

export function checkingWords(state: BusyState & { kind: 'checking' }, around: Surroundings): Words {
  const reference = referenceOf(around);
  if (state.actionUrl !== undefined) {
    return {
      tone: 'unknown',
      title: 'Your bank wants to make sure it is you.',
      body: 'Confirm the payment on your bank’s page. It brings you back here, and the payment goes on by itself.',
      reference,
      button: { label: 'Go to your bank', tap: 'bank', busy: false },
    };
  }
  return {
    tone: 'unknown',
    title: 'Your payment is being checked with the bank.',
    body: around.online
      ? 'Do not pay again another way; tapping is safe. This page goes on by itself.'
      : 'You are offline. Do not pay again another way: this page goes on by itself as soon as the connection is back.',
    reference,
    button: { label: 'Check now', tap: 'hurry', busy: false },
  };
}

/** Both parts find the payment in the operators' console; the second tells the attempts at one order apart. */
export function referenceOf({ orderNumber, key }: Surroundings): string {
  return key ? `${orderNumber} · ${key.slice(0, 8)}` : orderNumber;
}

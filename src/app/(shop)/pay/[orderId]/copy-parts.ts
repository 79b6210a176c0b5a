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
  /** The shopper wanted to cancel the payment instead, and it is not certain that it was. */
  readonly cancelFailed: boolean;
  /** The request has been under way for longer than a shopper expects. */
  readonly slow: boolean;
  /** The receipt is to be opened, and the server does not respond. */
  readonly serverDown: boolean;
  /** The order has a pending payment that this form did not start. */
  readonly pendingElsewhere: boolean;
  /** The order had a pending payment when the page was rendered. It was this form's, which has ended, or is another one. */
  readonly pendingOutdated: boolean;
}

export function payButton({ amount }: PayContext) {
  return { label: `Pay ${amount}`, action: 'pay', busy: false } as const;
}

export const checkNow = { label: 'Check now', action: 'retryNow', busy: false } as const;

/** Operators can search for both parts; the key distinguishes the payments of one order. */
export function referenceOf({ orderNumber, key }: PayContext): string {
  return key ? `${orderNumber} · ${key.slice(0, 8)}` : orderNumber;
}

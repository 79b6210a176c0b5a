import type { Trouble } from '#app/use-send.ts';
import type { RouterOutputs } from '#server/trpc/outputs.ts';

type Payment = Pick<RouterOutputs['shop']['order']['payments'][number], 'status'>;

/** What cancelling means for the money of the order. */
export function cancelCopy(payments: readonly Payment[]): string {
  const has = (wanted: Payment['status']) => payments.some(({ status }) => status === wanted);
  if (has('pending')) {
    return 'A payment is under way. If it still waits for you to confirm it with your bank, it is cancelled too; what the bank is already processing is not stopped. Should it turn out that you were charged, the shop is shown the money and a person there decides about sending it back.';
  }
  if (has('under_review')) {
    return 'The shop is checking a payment of this order that was charged. Cancelling does not stop that: a person there decides about sending the money back. Nothing more will be charged: a cancelled order cannot be paid any more.';
  }
  if (has('sent_back')) {
    return 'Nothing more will be charged: a cancelled order cannot be paid any more.';
  }
  return 'Nothing was charged, and nothing will be: a cancelled order cannot be paid any more.';
}

/** What stops the cancellation. A failure may come after its commit, so it does not say how the order stands. */
export const cancelTroubleCopy: Readonly<Record<Trouble, string>> = {
  offline: 'There is no connection. The order is cancelled as soon as it is back.',
  failed: 'The shop did not answer as it should. Load this page again to see how the order stands.',
  outdated: 'The shop was updated after this page was loaded. The order was not cancelled.',
};

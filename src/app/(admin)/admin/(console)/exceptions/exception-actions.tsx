'use client';

import { useState } from 'react';
import { useCommand } from '#app/(admin)/admin/use-command.ts';
import { useTRPC } from '#app/trpc/provider.tsx';
import { formatMoney, type Money } from '#payments/money.ts';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';

const notYet = 'The provider has not confirmed the refund yet; trying again is safe.';
const changed =
  'Something else was found out about it, or decided, after you opened this. The page shows it now: read it before you decide.';
const failures = new Map([
  ['changed', changed],
  [
    'outdated',
    'Another refund of its payment was made after you opened this page, which now shows it. Nothing was refunded: check whether this one is still owed.',
  ],
  ['refund_exceeds_payment', 'Less than this is left to refund: it was refunded another way.'],
  ['refund_exists_for_reference', 'It was refunded again another way, under the same reference.'],
  ['payment_not_refundable', 'Nothing is left to refund: it was refunded another way.'],
  [
    'above_limit',
    'It is above the limit: refund it on the page of its payment, where another person approves it.',
  ],
  ['payment_pending', 'Its own key is being tried again right now. Decide when that has ended.'],
  ['refund_not_returned', 'The bank did not return it after all: the shopper has the money.'],
  ['contradictory', 'The provider has paid back another amount. Check the payment there.'],
  ['provider_rejected', 'The provider could not refund it. Trying again makes a new refund.'],
  ['provider_failed', 'The provider could not refund it. Trying again makes a new refund.'],
]);

const bookFailures = new Map([
  ['payment_not_refundable', 'Book its payment first.'],
  ['payment_pending', 'Its own key is being tried again right now, and books it.'],
]);

/**
 * Refund or dismiss. A second click has the same idempotency key. A decision is about what its dialog was opened for: what is found out
 * since outdates it, and so does a refund of the payment that the page did not show.
 */
export function ExceptionActions(props: {
  id: string;
  amount: string;
  booked: boolean;
  returned: boolean;
  refundable: boolean;
  bookable: boolean;
  ofRefund: boolean;
  asked: boolean;
  generation: number;
  refundsBefore: number;
  refundedSince: Money;
}) {
  const { id, amount, returned, refundedSince, generation, refundsBefore } = props;
  const [shown, setShown] = useState({ generation, refundsBefore });
  const noteShown = () => setShown({ generation, refundsBefore });
  const trpc = useTRPC();
  const refunding = useCommand(trpc.exceptions.refund.mutationOptions());
  const booking = useCommand(trpc.exceptions.book.mutationOptions());
  const dismissing = useCommand(trpc.exceptions.dismiss.mutationOptions());
  const [message, setMessage] = useState(props.asked ? notYet : undefined);

  async function refund(reason: string) {
    const result = await refunding.send({ id, reason, ...shown });
    if (result.kind === 'not_yet') {
      setMessage(failures.get(result.code) ?? notYet);
    }
    return undefined;
  }

  async function book(reason: string) {
    const result = await booking.send({ id, reason });
    if (result.kind === 'not_yet') {
      setMessage(bookFailures.get(result.code) ?? 'The provider did not confirm it; trying again is safe.');
    }
    if (result.kind === 'reference_used') {
      setMessage(
        props.ofRefund
          ? 'Another refund with its reference was made, or less than this is left to refund.'
          : 'Another payment for it succeeded: refund this one.',
      );
    }
    return undefined;
  }

  async function keep(reason: string) {
    const { kind } = await dismissing.send({ id, reason, generation: shown.generation });
    if (kind === 'changed') setMessage(changed);
    if (kind === 'refund_decided') setMessage('A refund of it was decided and has not ended.');
    return undefined;
  }

  return (
    <div className="flex flex-wrap gap-2">
      {props.bookable && (
        <ReasonDialog
          action={props.ofRefund ? 'Book the refund' : 'Book the payment'}
          tone="primary"
          title={`Book ${amount} as ${props.ofRefund ? 'refunded' : 'paid'}?`}
          consequence={
            props.ofRefund
              ? 'No money moves: the shopper has it already. The refund is booked, and the merchant is notified.'
              : 'No money moves: the provider has it already. The payment is booked as paid, and the merchant is notified.'
          }
          confirm="Book it"
          reasonLabel="Why? (kept with the decision)"
          onConfirm={book}
        />
      )}
      {props.refundable && (
        <ReasonDialog
          action={`Refund ${amount}${returned ? ' again' : ''}`}
          tone={props.bookable ? 'quiet' : 'primary'}
          title={`Refund ${amount}?`}
          onOpen={noteShown}
          consequence={
            props.booked
              ? `${sinceCopy(refundedSince)}The provider pays ${amount} back to the shopper’s card. It is booked as a refund, and the shopper gets an e-mail, if they gave an address.`
              : `The provider pays ${amount} back to the shopper’s card. It was never booked as a payment, so no refund is booked either.`
          }
          confirm={`Refund ${amount}`}
          late="The refund may be under way. It will not be made twice."
          reasonLabel="Why? (kept with the decision)"
          onConfirm={refund}
        />
      )}
      <ReasonDialog
        {...closingCopy(props)}
        tone="quiet"
        reasonLabel="Why? (kept with the decision)"
        onOpen={noteShown}
        onConfirm={keep}
      />
      {message && (
        <p role="status" className="w-full text-ink-soft text-xs">
          {message}
        </p>
      )}
    </div>
  );
}

function sinceCopy(since: Money): string {
  return since.amountMinor === 0
    ? ''
    : `${formatMoney(since)} of the payment was refunded since: refund this only if it is owed too. `;
}

function closingCopy({
  amount,
  booked,
  returned,
  refundable,
}: {
  amount: string;
  booked: boolean;
  returned: boolean;
  refundable: boolean;
}) {
  if (!refundable)
    return {
      action: 'It is dealt with',
      title: `Is ${amount} dealt with?`,
      consequence:
        'No money moves. Choose this when the books were corrected, or the shop bears the difference.',
      confirm: 'It is dealt with',
    };
  return returned
    ? {
        action: 'Resolved another way',
        title: `Was ${amount} resolved another way?`,
        consequence:
          'No money moves: the shop keeps it. Choose this only if the shopper got the money another way.',
        confirm: 'It is resolved',
      }
    : {
        action: 'Keep it',
        title: `Keep ${amount}?`,
        consequence: booked
          ? 'No money moves: the shop keeps it. Choose this only if the shopper gets something for it.'
          : 'No money moves: the shop keeps it. What it was for counts as paid: the shopper is not asked for it, and it can’t be paid again. Choose this only if the shopper gets something for it. If all of it was refunded in the provider’s dashboard, do nothing: it is then closed as refunded.',
        confirm: 'Keep it',
      };
}

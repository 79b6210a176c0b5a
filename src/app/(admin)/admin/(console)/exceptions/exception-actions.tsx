'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { api } from '#app/trpc/client.ts';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';

const notYet = 'The provider has not confirmed the refund yet; asking again is safe.';
const reasonsWhyNot = new Map([
  ['refund_exceeds_payment', 'There is not that much left to refund: it was sent back otherwise.'],
  ['payment_not_refundable', 'There is nothing left to refund: it was sent back otherwise.'],
  ['provider_rejected', 'The provider could not pay it back. Asking again makes a new refund.'],
  ['provider_failed', 'The provider could not pay it back. Asking again makes a new refund.'],
]);

/** Refund or dismiss. Refunding twice is impossible: a second click has the same idempotency key. */
export function ExceptionActions(props: {
  id: string;
  amount: string;
  booked: boolean;
  returned: boolean;
  asked: boolean;
}) {
  const { id, amount, returned } = props;
  const router = useRouter();
  const [message, setMessage] = useState(props.asked ? notYet : undefined);

  async function refund(reason: string) {
    const result = await api.exceptions.refund.mutate({ id, reason });
    if (result.kind === 'not_yet') {
      setMessage(reasonsWhyNot.get(result.code) ?? notYet);
    }
    router.refresh();
    return undefined;
  }

  async function keep(reason: string) {
    await api.exceptions.dismiss.mutate({ id, reason });
    router.refresh();
    return undefined;
  }

  return (
    <div className="flex flex-wrap gap-2">
      <ReasonDialog
        action={`Refund ${amount}${returned ? ' again' : ''}`}
        tone="primary"
        title={`Send ${amount} back?`}
        consequence={
          props.booked
            ? `The provider pays ${amount} back to the shopper’s card. It is booked as a refund, and the shopper is written to.`
            : `The provider pays ${amount} back to the shopper’s card. It was never in our books, so nothing is booked.`
        }
        confirm={`Refund ${amount}`}
        reasonLabel="Why? (kept with the decision)"
        onConfirm={refund}
      />
      <ReasonDialog
        action={returned ? 'Settled otherwise' : 'Keep it'}
        tone="quiet"
        title={returned ? `${amount} is settled otherwise?` : `Keep ${amount}?`}
        consequence={
          returned
            ? 'Nothing moves: the shop keeps the money. Say this when the shopper got it another way.'
            : 'Nothing moves: the shop keeps the money. Do this only if the shopper gets something for it.'
        }
        confirm={returned ? 'It is settled' : 'Keep it'}
        reasonLabel="Why? (kept with the decision)"
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

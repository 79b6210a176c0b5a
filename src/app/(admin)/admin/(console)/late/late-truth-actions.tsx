'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ReasonDialog } from '#ui/admin/reason-dialog.tsx';
import { api } from '../../../../trpc/client.ts';

/** Send the money back, or keep it. Refunding twice is impossible: a second click joins the first. */
export function LateTruthActions(props: { id: string; amount: string; booked: boolean }) {
  const { id, amount } = props;
  const router = useRouter();
  const [told, setTold] = useState<string>();

  async function refund(reason: string) {
    const result = await api.lateTruths.refund.mutate({ id, reason });
    if (result.kind === 'not_yet') {
      setTold('The provider has not confirmed the refund yet; asking again is safe.');
    }
    router.refresh();
    return undefined;
  }

  async function keep(reason: string) {
    await api.lateTruths.dismiss.mutate({ id, reason });
    router.refresh();
    return undefined;
  }

  return (
    <div className="flex flex-wrap gap-2">
      <ReasonDialog
        action={`Refund ${amount}`}
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
        action="Keep it"
        tone="quiet"
        title={`Keep ${amount}?`}
        consequence="Nothing moves: the shop keeps the money. Do this only if the shopper gets something for it."
        confirm="Keep it"
        reasonLabel="Why? (kept with the decision)"
        onConfirm={keep}
      />
      {told && (
        <p role="status" className="w-full text-ink-soft text-xs">
          {told}
        </p>
      )}
    </div>
  );
}

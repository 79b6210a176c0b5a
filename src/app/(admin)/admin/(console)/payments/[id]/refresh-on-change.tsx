'use client';

import { useRouter } from 'next/navigation';
import { useTRPCClient } from '#app/trpc/provider.tsx';
import { useChanges } from '../../changes.tsx';

interface Props {
  paymentId: string;
  /** Of the payment and the refunds that the page shows. */
  operationIds: readonly string[];
}

/** Renders the page again when one of its operations has changed, or another refund of the payment was made. */
export function RefreshOnChange({ paymentId, operationIds }: Props) {
  const router = useRouter();
  const client = useTRPCClient();
  useChanges(async (changed) => {
    const isShown = (id: string) => operationIds.includes(id);
    if (changed.length === 0 || changed.some(isShown)) return router.refresh();
    // What changed may be a refund that another operator or the merchant's server has made meanwhile.
    const now = await client.payment.operationIds.query({ paymentId }).catch(() => undefined);
    if (!now?.every(isShown)) router.refresh();
  });
  return null;
}

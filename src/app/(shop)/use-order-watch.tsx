'use client';

import { type DehydratedState, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { useEffect, useRef } from 'react';
import { ApiProvider, useTRPC } from '#app/trpc/provider.tsx';
import { useLiveSubscription } from '#app/trpc/use-live-subscription.ts';
import { useVisible } from '#ui/use-visible.ts';

const pollMs = 5_000;

/**
 * Has the server render the page again whenever the order's payments are no longer those that it was rendered with, which
 * the page has prefetched. They are streamed, and read every few seconds while the stream is not open.
 *
 * A hidden page closes its stream, because browsers allow six connections per server for all tabs together.
 */
export function useOrderWatch(orderId: string, on: boolean): void {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const router = useRouter();
  const enabled = useVisible() && on;
  const { live } = useLiveSubscription(
    trpc.payments.watchOrder.subscriptionOptions(
      { orderId },
      {
        enabled,
        onData: (payments) => queryClient.setQueryData(trpc.payments.ofOrder.queryKey({ orderId }), payments),
      },
    ),
  );
  const { data } = useQuery(
    trpc.payments.ofOrder.queryOptions({ orderId }, { enabled: enabled && !live, refetchInterval: pollMs }),
  );
  const payments = JSON.stringify(data);
  const rendered = useRef<string | undefined>(payments);
  useEffect(() => {
    if (on && payments !== rendered.current) router.refresh();
    // A page that is not watched gets old, so watching it begins with a refresh.
    rendered.current = on ? payments : undefined;
  }, [on, payments, router]);
}

/** The hook as a component, for a page that loads it, and everything it needs, only while a payment is pending. */
export default function OrderWatch(props: { orderId: string; state: DehydratedState }) {
  return (
    <ApiProvider state={props.state}>
      <Watch orderId={props.orderId} />
    </ApiProvider>
  );
}

function Watch({ orderId }: { orderId: string }): null {
  useOrderWatch(orderId, true);
  return null;
}

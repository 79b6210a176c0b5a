'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '#app/trpc/client.ts';
import { keepSubscribed } from '#app/trpc/keep-subscribed.ts';
import { useRefreshing } from './use-refreshing.ts';

/**
 * Has the server render the page again whenever the order's payments change: at once while the subscription is open, and
 * every few seconds while it is not.
 *
 * A hidden page closes its subscription, because browsers allow six connections per server for all tabs together. It
 * refreshes when it is visible again.
 */
export function useOrderWatch(orderId: string, on: boolean): void {
  const router = useRouter();
  const visible = useVisible();
  const [live, setLive] = useState(false);
  useEffect(() => {
    if (!on || !visible) return;
    let last: string | undefined;
    const stop = keepSubscribed((reopen) =>
      api.payments.watchOrder.subscribe(
        { orderId },
        {
          onData(payments) {
            // The first event may be a change, because the page was rendered before the subscription was open.
            const current = JSON.stringify(payments);
            if (current !== last) router.refresh();
            last = current;
          },
          onConnectionStateChange: ({ state }) => setLive(state === 'pending'),
          onError() {
            setLive(false);
            reopen();
          },
        },
      ),
    );
    return () => {
      stop();
      setLive(false);
    };
  }, [orderId, on, visible, router]);
  useRefreshing(on && !live, pollMs);
}

/** The hook as a component, for a page that loads it lazily. */
export default function OrderWatch({ orderId }: { orderId: string }): null {
  useOrderWatch(orderId, true);
  return null;
}

const pollMs = 5_000;

function useVisible(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      document.addEventListener('visibilitychange', onChange);
      return () => document.removeEventListener('visibilitychange', onChange);
    },
    () => document.visibilityState === 'visible',
    () => true,
  );
}

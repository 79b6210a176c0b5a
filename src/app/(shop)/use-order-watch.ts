'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '#app/trpc/client.ts';
import { keepSubscribed } from '#app/trpc/keep-subscribed.ts';
import { useRefreshing } from './use-refreshing.ts';

/**
 * Has the server render the page again whenever the order's payments change: at once by subscription, and every few
 * seconds where there is none.
 *
 * A hidden page closes its connection, because browsers allow six per server for all tabs together; it catches up when it
 * is visible again.
 */
export function useOrderWatch(orderId: string, on: boolean): void {
  const router = useRouter();
  const visible = useVisible();
  const [live, setLive] = useState(false);
  useEffect(() => {
    if (!on || !visible) return;
    let last: string | undefined;
    const stop = keepSubscribed((failed) =>
      api.payments.watchOrder.subscribe(
        { orderId },
        {
          onData(payments) {
            // The first event may be a change already: the page was rendered before the subscription was open.
            const current = JSON.stringify(payments);
            if (current !== last) router.refresh();
            last = current;
          },
          onConnectionStateChange: ({ state }) => setLive(state === 'pending'),
          onError() {
            setLive(false);
            failed();
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
    (changed) => {
      document.addEventListener('visibilitychange', changed);
      return () => document.removeEventListener('visibilitychange', changed);
    },
    () => document.visibilityState === 'visible',
    () => true,
  );
}

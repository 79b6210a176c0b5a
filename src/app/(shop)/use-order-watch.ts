'use client';

import { useRouter } from 'next/navigation';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { api } from '../trpc/client.ts';
import { keepSubscribed } from '../trpc/keep-subscribed.ts';
import { useRefreshing } from './use-refreshing.ts';

/**
 * Has the server render the page again whenever something about the order's payments changes, whoever changes it: at
 * once by subscription, and every few seconds where there is none.
 *
 * A hidden page lets go of its line, because browsers grant a server six of them for all tabs together; it catches up
 * when somebody looks.
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
            // The first word may be news already: the page was rendered before the line was open.
            const said = JSON.stringify(payments);
            if (said !== last) router.refresh();
            last = said;
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

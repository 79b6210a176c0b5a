import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';
import { untilServerResponds } from '#app/server-responds.ts';

/**
 * Opens the receipt once the order is paid, or on a click, and not before the server responds. Until then the page stays
 * and shows what is known.
 */
export function useReceipt(
  orderId: string,
  paid: boolean,
  online: boolean,
): { readonly serverDown: boolean; open(): void } {
  const router = useRouter();
  const [clicks, setClicks] = useState(0);
  const [serverDown, setServerDown] = useState(false);
  const wanted = paid || clicks > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a click and a change of the connection end a pause: the server is probed again
  useEffect(() => {
    if (!wanted) return;
    const over = new AbortController();
    void untilServerResponds(over.signal, () => setServerDown(true)).then((responds) => {
      // Replaced, not pushed: going back from the receipt leads to the shop and not to a form that is of no use any more.
      if (responds) router.replace(`/orders/${orderId}`);
    });
    return () => {
      over.abort();
      setServerDown(false);
    };
  }, [wanted, clicks, online, orderId, router]);
  const open = useCallback(() => setClicks((before) => before + 1), []);
  return { serverDown, open };
}

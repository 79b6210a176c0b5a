import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';
import { announceArrival } from '#app/(shop)/arrival.ts';
import { untilServerResponds } from '#app/server-responds.ts';

/**
 * Opens the receipt once the order is paid, or on a click, as soon as the server responds. Until then the page stays and
 * shows what is known.
 */
export function useReceipt(
  orderId: string,
  paid: boolean,
  online: boolean,
): { readonly serverDown: boolean; open(): void } {
  const router = useRouter();
  const [clicks, setClicks] = useState(0);
  const [serverDown, setServerDown] = useState(false);
  const requested = paid || clicks > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a click and a change of the connection probe the server again at once
  useEffect(() => {
    if (!requested) return;
    const controller = new AbortController();
    void untilServerResponds(controller.signal, () => setServerDown(true)).then((responds) => {
      // Replaced, not pushed, so that going back from the receipt leads to the shop and not to the form.
      if (!responds) return;
      announceArrival();
      router.replace(`/orders/${orderId}`);
    });
    return () => {
      controller.abort();
      setServerDown(false);
    };
  }, [requested, clicks, online, orderId, router]);
  const open = useCallback(() => setClicks((before) => before + 1), []);
  return { serverDown, open };
}

import { useRouter } from 'next/navigation';
import { useCallback, useEffect, useState } from 'react';
import { untilServerAnswers } from '#app/server-responds.ts';

/**
 * The way to the receipt: it is opened once the order is paid, or on a tap, and not before there is a server to open it
 * from. Until then the page stays and says what it knows.
 */
export function useReceipt(
  orderId: string,
  paid: boolean,
  online: boolean,
): { readonly away: boolean; open(): void } {
  const router = useRouter();
  const [taps, setTaps] = useState(0);
  const [away, setAway] = useState(false);
  const wanted = paid || taps > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a tap and a change of the connection end a pause: it is asked anew
  useEffect(() => {
    if (!wanted) return;
    const over = new AbortController();
    void untilServerAnswers(over.signal, () => setAway(true)).then((answers) => {
      // Replaced, not pushed: going back from the receipt leads to the shop and not to a form that has done its work.
      if (answers) router.replace(`/orders/${orderId}`);
    });
    return () => {
      over.abort();
      setAway(false);
    };
  }, [wanted, taps, online, orderId, router]);
  const open = useCallback(() => setTaps((before) => before + 1), []);
  return { away, open };
}

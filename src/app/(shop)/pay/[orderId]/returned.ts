import { useEffect } from 'react';
import type { Asked } from '#idempotency/react.ts';
import { askPayment, type PayAnswer, tellReturned } from '#app/trpc/pay.ts';

/** True once after the bank sent the shopper back. Its mark, and the secrets the bank adds, leave the address bar. */
function takeReturn(): boolean {
  const { search, pathname } = window.location;
  if (!new URLSearchParams(search).has('returned')) return false;
  window.history.replaceState(null, '', pathname);
  return true;
}

/** The first question after the return comes with the news of it, so that the server looks at once. */
export async function askAfterReturn(orderId: string, key: string): Promise<Asked<PayAnswer>> {
  if (takeReturn()) await tellReturned(orderId, key);
  return askPayment(orderId, key);
}

/** A tab that came back while another one is at work asks nothing, but brings the news all the same. */
export function useReturn(orderId: string, key: string | undefined, restoring: boolean): void {
  useEffect(() => {
    if (restoring || !takeReturn()) return;
    if (key !== undefined) void tellReturned(orderId, key);
  }, [orderId, key, restoring]);
}

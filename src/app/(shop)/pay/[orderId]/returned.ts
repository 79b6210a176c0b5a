import { useEffect } from 'react';
import { type PayResult, readPaymentStatus, reportReturn } from '#app/trpc/pay.ts';
import type { StatusResult } from '#idempotency/react.ts';

/** True once after the bank has sent the shopper back. Removes the parameters, of which some are secret, from the URL. */
function takeReturn(): boolean {
  const { search, pathname } = window.location;
  if (!new URLSearchParams(search).has('returned')) return false;
  window.history.replaceState(null, '', pathname);
  return true;
}

/** Before the first status read after a return the server is asked to check with the provider at once. */
export async function readStatusAfterReturn(orderId: string, key: string): Promise<StatusResult<PayResult>> {
  if (takeReturn()) await reportReturn(orderId, key);
  return readPaymentStatus(orderId, key);
}

/** A tab that returns while another one is paying does not read the status, so it reports the return here. */
export function useReturn(orderId: string, key: string | undefined, restoring: boolean): void {
  useEffect(() => {
    if (restoring || !takeReturn()) return;
    if (key !== undefined) void reportReturn(orderId, key);
  }, [orderId, key, restoring]);
}

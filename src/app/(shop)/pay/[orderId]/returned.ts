import { useEffect } from 'react';
import { type PayResult, readPaymentStatus, reportReturn } from '#app/trpc/pay.ts';
import type { StatusResult } from '#idempotency/react.ts';

/** True once after the bank sent the shopper back. The parameter, and the secrets the bank adds, leave the address bar. */
function takeReturn(): boolean {
  const { search, pathname } = window.location;
  if (!new URLSearchParams(search).has('returned')) return false;
  window.history.replaceState(null, '', pathname);
  return true;
}

/** The first status read after the return reports it first, so that the server checks with the provider at once. */
export async function readStatusAfterReturn(orderId: string, key: string): Promise<StatusResult<PayResult>> {
  if (takeReturn()) await reportReturn(orderId, key);
  return readPaymentStatus(orderId, key);
}

/** A tab that came back while another one is paying reads no status, but reports the return all the same. */
export function useReturn(orderId: string, key: string | undefined, restoring: boolean): void {
  useEffect(() => {
    if (restoring || !takeReturn()) return;
    if (key !== undefined) void reportReturn(orderId, key);
  }, [orderId, key, restoring]);
}

import { useEffect } from 'react';
import { type PayCommand, type PayResult, usePayTransport, useReportReturn } from '#app/trpc/pay.ts';
import type { SubmissionTransport } from '#idempotency/react.ts';

/** True once after the bank has sent the shopper back. Removes the parameters, of which some are secret, from the URL. */
function takeBankReturn(): boolean {
  const { search, pathname } = window.location;
  if (!new URLSearchParams(search).has('returned')) return false;
  window.history.replaceState(null, '', pathname);
  return true;
}

/** Before the first status read after a return the server is asked to check with the provider at once. */
export function useTransportAfterBankReturn(orderId: string): SubmissionTransport<PayCommand, PayResult> {
  const transport = usePayTransport(orderId);
  const reportReturn = useReportReturn(orderId);
  return {
    ...transport,
    async readStatus(key) {
      if (takeBankReturn()) await reportReturn(key);
      return transport.readStatus(key);
    },
  };
}

/** A tab that returns while another one is paying does not read the status, so it reports the return here. */
export function useBankReturn(orderId: string, key: string | undefined, restoring: boolean): void {
  const reportReturn = useReportReturn(orderId);
  useEffect(() => {
    if (restoring || !takeBankReturn()) return;
    if (key !== undefined) void reportReturn(key);
  }, [key, restoring, reportReturn]);
}

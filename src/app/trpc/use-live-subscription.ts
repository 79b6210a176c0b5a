import { useSubscription } from '@trpc/tanstack-react-query';
import { useEffect } from 'react';

/** Long enough for a server to restart. */
const reopenAfterMs = 10_000;

type SubscriptionOptions<Output, Failure> = Parameters<typeof useSubscription<Output, Failure>>[0];

/**
 * A subscription that stays open. An EventSource reconnects by itself when the connection drops and when the server ends the
 * stream, but not after an HTTP error such as a proxy's 502; this opens a new one. `live` is false while there is none.
 */
export function useLiveSubscription<Output, Failure>(
  options: SubscriptionOptions<Output, Failure>,
): { readonly live: boolean } {
  const { status, reset } = useSubscription(options);
  useEffect(() => {
    if (status !== 'error') return;
    const timer = setTimeout(reset, reopenAfterMs);
    return () => clearTimeout(timer);
  }, [status, reset]);
  return { live: options.enabled && status === 'pending' };
}

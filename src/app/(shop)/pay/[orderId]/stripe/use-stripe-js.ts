import type { Stripe } from '@stripe/stripe-js';
// The pure entry loads Stripe.js when it is called, not when it is imported.
import { loadStripe } from '@stripe/stripe-js/pure';
import { useCallback, useEffect, useState } from 'react';

/** Stripe.js must be loaded from Stripe; a script that failed to load can be loaded again. */
export function useStripeJs(publishableKey: string) {
  const [loaded, setLoaded] = useState<Stripe | 'failed'>();
  const load = useCallback(() => {
    setLoaded(undefined);
    loadStripe(publishableKey, { locale: 'en' }).then(
      (stripe) => setLoaded(stripe ?? 'failed'),
      () => setLoaded('failed'),
    );
  }, [publishableKey]);
  useEffect(load, [load]);
  return { stripe: loaded, reload: load };
}

import Stripe from 'stripe';

/** Old enough to be a replay: Stripe's own tolerance. */
const toleranceSeconds = 300;

/** Undefined: forged, altered, or too old. The SDK compares in constant time. */
export function verifyStripeEvent(
  body: string,
  signature: string | null,
  secret: string,
): Stripe.Event | undefined {
  try {
    return new Stripe('sk_unused').webhooks.constructEvent(body, signature ?? '', secret, toleranceSeconds);
  } catch {
    return undefined;
  }
}

/** The operation that our own metadata names on the object the event is about. */
export function operationIdOf(event: Stripe.Event): string | undefined {
  const object = event.data.object as { metadata?: Record<string, string> | null };
  const id = object.metadata?.operation;
  return id && /^[0-9a-f-]{36}$/.test(id) ? id : undefined;
}

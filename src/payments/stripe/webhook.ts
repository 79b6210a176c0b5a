import Stripe from 'stripe';
import { z } from 'zod';

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

/** What PostgreSQL reads as a uuid. Whatever is less would fail there, at every delivery, and the event were never kept. */
const operationId = z.guid();

/** The operation that our own metadata names on the object the event is about. Others write metadata too, as they like. */
export function operationIdOf(event: Stripe.Event): string | undefined {
  const object = event.data.object as { metadata?: Record<string, unknown> | null };
  return operationId.safeParse(object.metadata?.operation).data;
}

import Stripe from 'stripe';
import { z } from 'zod';
import type { OperationRef } from '#idempotency/index.ts';

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

/**
 * The metadata that we write on every object. An id that PostgreSQL does not read as a uuid would fail every delivery of
 * the event, so it counts as no metadata of ours; other programs may write to the same account.
 */
const ourMetadata = z.object({ operation: z.guid(), paidonce_tenant: z.string().min(1) });

/** The operation that our own metadata names on the object the event is about. */
export function operationOfEvent(event: Stripe.Event): OperationRef | undefined {
  const object = event.data.object as { metadata?: unknown };
  const metadata = ourMetadata.safeParse(object.metadata).data;
  return metadata && { tenantId: metadata.paidonce_tenant, id: metadata.operation };
}

/** This event is no evidence: we created the intent ourselves. */
const uninformativeType = 'payment_intent.created';

/** What a stored event is about. Its payload is read leniently, because it may have been deleted. */
export function readStripeEvent(event: { readonly type: string; readonly payload: unknown }) {
  const object = (event.payload as { data?: { object?: Record<string, unknown> } } | null)?.data?.object;
  // Events are about an intent, or about a charge or refund that names one.
  const intentId = object?.object === 'payment_intent' ? object.id : object?.payment_intent;
  return {
    informative: event.type !== uninformativeType,
    object: typeof object?.object === 'string' ? object.object : undefined,
    intentId: typeof intentId === 'string' ? intentId : undefined,
  };
}

import Stripe from 'stripe';
import { z } from 'zod';
import type { OperationRef } from '#idempotency/index.ts';

/** Old enough to be a replay: Stripe's own tolerance. */
const toleranceSeconds = 300;

/** Needs no key. Made once, because the SDK makes an object for every resource of the API. */
const { webhooks } = new Stripe('sk_unused');

/** What is read of every event. The SDK checks the signature and not what was signed. */
const eventShape = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  data: z.object({ object: z.looseObject({}) }),
});

/** Undefined: forged, altered, too old, of the future, or no event. The SDK compares in constant time. */
export function verifyStripeEvent(
  body: string,
  signature: string | null,
  secret: string,
): Stripe.Event | undefined {
  if (!signature || isOfFuture(signature)) return undefined;
  try {
    const event = webhooks.constructEvent(body, signature, secret, toleranceSeconds);
    return eventShape.safeParse(event).success ? event : undefined;
  } catch {
    return undefined;
  }
}

/** The SDK refuses old dates only. What is signed for a later day could be recorded, and repeated until then. */
function isOfFuture(signature: string): boolean {
  const latest = Date.now() / 1000 + toleranceSeconds;
  return [...signature.matchAll(/(?:^|,)t=(\d+)/g)].some(([, seconds]) => Number(seconds) > latest);
}

/**
 * The metadata that we write on every object. An id that PostgreSQL does not read as a uuid would fail every delivery of
 * the event, so it counts as no metadata of ours; other programs may write to the same account.
 */
const ourMetadata = z.object({
  operation: z.guid(),
  paidonce_tenant: z
    .string()
    .min(1)
    .refine((id) => id.isWellFormed() && !id.includes('\0')),
});

/** The operation that our own metadata names on the object the event is about. */
export function operationOfEvent(event: Stripe.Event): OperationRef | undefined {
  return operationOfObject(event.data.object as { metadata?: unknown });
}

export function operationOfObject(object: { readonly metadata?: unknown }): OperationRef | undefined {
  const metadata = ourMetadata.safeParse(object.metadata).data;
  return metadata && { tenantId: metadata.paidonce_tenant, id: metadata.operation };
}

/** NUL and the halves of surrogate pairs. Few texts name any. */
const suspicious = /\\u(?:0000|d[89a-f])/i;
/**
 * Read from the left, so that a backslash that is escaped itself begins no number, and a whole pair is one character. The group is
 * what is left: NUL, and half a pair.
 */
const escapes = /\\\\|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(\\u0000|\\ud[89a-f][0-9a-f]{2})/gi;

/**
 * JSON as PostgreSQL can store it: it refuses NUL and half a surrogate pair, which JSON can name by their numbers. The provider
 * would send an event that cannot be stored again for days, and a payment whose outcome cannot be stored would stay unknown.
 */
export function storableJson(json: string): string {
  if (!suspicious.test(json)) return json;
  return json.replaceAll(escapes, (found: string, unstorable?: string) => (unstorable ? '\\ufffd' : found));
}

/** An event as far as we read it, for one whose whole body PostgreSQL cannot store, such as a number without end. */
export function essentialJson({ id, type, data }: Stripe.Event): string {
  const read = readStripeEvent({ type, payload: { data } });
  const { object, objectId, intentId, state: status } = read;
  const metadata = ourMetadata.safeParse((data.object as { metadata?: unknown }).metadata).data;
  const about = { object, id: objectId, payment_intent: intentId, status, metadata };
  return JSON.stringify({ id, type, data: { object: about } });
}

/** This event is no evidence: we created the intent ourselves. */
export const uninformativeType = 'payment_intent.created';

/** What a stored event is about. Its payload is read leniently, because it may have been deleted. */
export function readStripeEvent(event: { readonly type: string; readonly payload: unknown }) {
  const object = (event.payload as { data?: { object?: Record<string, unknown> } } | null)?.data?.object;
  // Events are about an intent, or about a charge or refund that names one.
  const intentId = object?.object === 'payment_intent' ? object.id : object?.payment_intent;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    informative: event.type !== uninformativeType,
    object: text(object?.object),
    objectId: text(object?.id),
    intentId: text(intentId),
    /** The provider's status of the object when the event was made: a hint, which may be old. */
    state: text(object?.status),
  };
}

/** The same in SQL, for statements that decide about many events at once. `payload` is a jsonb expression. */
export function stripeEventColumns(payload: string): string {
  const object = (field: string) => `${payload} #>> '{data,object,${field}}'`;
  return `
    ${object('object')} AS object,
    ${object('id')} AS object_id,
    CASE ${object('object')} WHEN 'payment_intent' THEN ${object('id')} ELSE ${object('payment_intent')} END AS intent_id,
    ${object('status')} AS state`;
}

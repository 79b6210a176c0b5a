/**
 * The events that an endpoint needs to be subscribed to. Each says how an intent or a refund ended; others, such as those of
 * charges, say the same a second time, and are harmless.
 */
export const usedEventTypes = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'refund.created',
  'refund.updated',
  'refund.failed',
] as const;

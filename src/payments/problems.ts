import { defineProblems } from '#idempotency/index.ts';

/** What several operations, or the shop around them, can be refused with. Those of a single operation are in its folder. */
export const paymentProblems = defineProblems({
  order_cancelled: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The order was cancelled',
    explanation: 'The order is no longer wanted, so nothing was charged for it.',
    action: 'Place a new order.',
    newKey: 'safe',
  },
  order_amount_differs: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The order has another price',
    explanation:
      'The reference is the number of an order of the shop, and the order costs another amount or is in another currency. Nothing was charged.',
    action:
      'Send it with a new key: with the amount and currency of the order, or, if something else is paid, with another reference.',
    newKey: 'safe',
  },
  too_many_payments: {
    http: 429,
    trpc: 'TOO_MANY_REQUESTS',
    title: 'Too many payments were tried',
    explanation:
      'So many payments of one order within an hour, or from one network within minutes, are not accepted. Nothing was charged now.',
    action: 'Wait as long as Retry-After says, then send the same request with the same key.',
    newKey: 'safe',
  },
  payment_not_found: {
    http: 404,
    trpc: 'NOT_FOUND',
    title: 'There is no such payment',
    explanation: 'No payment of yours has this id.',
    action: 'Check the id.',
    newKey: 'safe',
  },
  provider_unavailable: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'The payment provider is not available',
    explanation:
      'The provider could not be reached, or did not answer before any money could move. Nothing was charged or paid back now.',
    action: 'Send the same request with the same key again in a few seconds.',
    newKey: 'safe',
  },
  comparing_with_provider: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'Our books are being compared with the provider’s',
    explanation:
      'The database was replaced or restored, and may lack what was done last. Until it has been compared with the provider, nothing new is sent. Nothing was charged or paid back now.',
    action: 'Send the same request with the same key again in a few seconds.',
    newKey: 'unsafe',
  },
  provider_rejected: {
    http: 502,
    trpc: 'BAD_GATEWAY',
    title: 'The payment provider refused the request',
    explanation: 'The provider would not accept the request as we sent it. Nothing was charged or paid back.',
    action: 'Check the payment method and try again; if it persists, the operator has been alerted.',
    newKey: 'safe',
  },
});

import { defineProblems } from '#idempotency/index.ts';

/** What a payment command can be told when it is certain that nothing was charged. */
export const paymentProblems = defineProblems({
  payment_exists_for_reference: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'There already is a payment for this reference',
    explanation:
      'Another attempt holds this reference: it is being paid, or it has been paid. Nothing was charged now.',
    action:
      'Look at the payment named in the problem: wait while it is pending, read its receipt when it succeeded.',
    newKey: 'unsafe',
  },
  order_cancelled: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The order was cancelled',
    explanation: 'The order is no longer wanted, so nothing was charged for it.',
    action: 'Place a new order.',
    newKey: 'safe',
  },
  too_many_attempts: {
    http: 429,
    trpc: 'TOO_MANY_REQUESTS',
    title: 'Too many payments were tried for this order',
    explanation: 'So many payments of one order within an hour are not accepted. Nothing was charged now.',
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
  payment_not_refundable: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'This payment cannot be refunded',
    explanation:
      'Only a payment that succeeded, and has not been refunded in full, can be refunded. Nothing was paid back.',
    action: 'Look at the payment first: it may still be pending, or nothing of it may be left.',
    newKey: 'safe',
  },
  refund_exceeds_payment: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The refund is larger than what is left of the payment',
    explanation: 'Earlier refunds and this one together would exceed what was paid. Nothing was paid back.',
    action: 'Refund at most what is left, or leave the amount out to refund all that is left.',
    newKey: 'safe',
  },
  payment_canceled: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The payment did not happen',
    explanation:
      'The answer was lost. The payment was found unconfirmed and was cancelled at the provider: nothing was charged.',
    action: 'Send the same request with the same key again to pay.',
    newKey: 'safe',
  },
  provider_unavailable: {
    http: 503,
    trpc: 'SERVICE_UNAVAILABLE',
    title: 'The payment provider could not be reached',
    explanation: 'The request never reached the provider, so nothing was charged.',
    action: 'Send the same request with the same key again in a few seconds.',
    newKey: 'safe',
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

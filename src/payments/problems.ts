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
    explanation: 'The provider would not accept the request as we sent it. Nothing was charged.',
    action: 'Check the payment method and try again; if it persists, the operator has been alerted.',
    newKey: 'safe',
  },
});

import { defineProblems } from '#idempotency/index.ts';
import { operationDefaults } from '../defaults.ts';
import type { DefinitionOf } from '../operation-kind.ts';
import { releasePayment } from './release-payment.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** A bank's authentication is open for minutes; after an hour the shopper has left it, and the payment is cancelled. */
export const actionTimeoutMs = hour;

/**
 * claimed → confirm_sent → finished, with the payment, the intent's id and the final state in the same three commits
 *
 * Creating an intent moves no money, so until `confirm_sent` a dead attempt is simply retried, and gets the same intent by
 * the same downstream key. `confirm_sent` is committed before the confirm call leaves: a crash is always on a known side
 * of it.
 */
export const createPaymentDefinition: DefinitionOf<'payment.create'> = {
  ...operationDefaults,
  name: 'payment.create',
  recoveryPoints: { claimed: 'unsent', confirm_sent: 'sent' },
  checks: {
    // Most providers know the outcome soon after the response was lost.
    firstInMs: 2 * second,
    // The first checks come quickly, because nearly every lost response is a problem of seconds and the shopper sees a
    // spinner. Then minutes, for an outage; hours, for a provider's bad day; days, for settlement files and support. After
    // four days another check would find nothing new.
    pausesMs: [
      ...[3 * second, 5 * second, 10 * second, 20 * second, 40 * second],
      ...[1 * minute, 2 * minute, 5 * minute, 15 * minute],
      ...[1 * hour, 6 * hour, 24 * hour, 24 * hour, 24 * hour],
    ],
  },
  onReleased: (tx, record) => releasePayment(tx, record, 'kept'),
};

export const createPaymentProblems = defineProblems({
  payment_exists_for_reference: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'There already is a payment for this reference',
    explanation:
      'Another attempt holds this reference: it is being paid, it has been paid, or it ended unpaid and was found to be charged after all, and was not paid back. Nothing was charged now.',
    action:
      'See paymentStatus: wait while it is pending; when it succeeded, it is paid; while it is under_review, do not pay in another way, because the shop decides whether the money is kept or paid back; when it is kept, the shop keeps that charge, and nothing more is due.',
    newKey: 'unsafe',
  },
  payment_method_unknown: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'There is no such payment method',
    explanation: 'The provider does not know the payment method. Nothing was charged.',
    action: 'Correct the payment method, and send it as a new request with a new key.',
    newKey: 'safe',
  },
  amount_not_chargeable: {
    http: 400,
    trpc: 'BAD_REQUEST',
    title: 'The provider does not charge this amount',
    explanation:
      'The amount is less than the provider charges in this currency, or more. Nothing was charged.',
    action: 'Correct the amount, and send it as a new request with a new key.',
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
});

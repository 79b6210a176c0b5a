import { defineProblems } from '#idempotency/index.ts';
import { operationDefaults } from '../defaults.ts';
import type { DefinitionOf } from '../operation-kind.ts';
import { releaseRefund } from './complete-refund.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** claimed → refund_sent → finished. Paying back is one call, so there is one point to write ahead of it. */
export const createRefundDefinition: DefinitionOf<'refund.create'> = {
  ...operationDefaults,
  name: 'refund.create',
  recoveryPoints: { claimed: 'unsent', refund_sent: 'sent' },
  checks: {
    firstInMs: 2 * second,
    // No shopper waits for it, so it is soon checked less often than a payment. A bank may take ten working days: with two
    // weekends that is fourteen, and only then is it worth an operator's time.
    pausesMs: [
      ...[5 * second, 15 * second, 1 * minute, 5 * minute, 15 * minute, 1 * hour, 6 * hour],
      ...Array.from({ length: 14 }, () => 24 * hour),
    ],
  },
  onReleased: (tx, record) => releaseRefund(tx, record, 'kept'),
};

export const createRefundProblems = defineProblems({
  payment_not_refundable: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'This payment cannot be refunded',
    explanation:
      'Only a payment that succeeded, and has not been refunded in full, can be refunded. Nothing was paid back.',
    action: 'Read the payment first: it may still be pending, or nothing of it may be left.',
    newKey: 'safe',
  },
  refund_exists_for_reference: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'There already is a refund for this reference',
    explanation:
      'Another refund of this payment has the same reference: it is being paid back, or it has been. Nothing was paid back now.',
    action:
      'Read the refund that the problem names: wait while it is pending; when it succeeded, it is paid back. For another refund of the payment, use another reference.',
    newKey: 'unsafe',
  },
  refund_amount_not_allowed: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The amount cannot be paid back in this currency',
    explanation:
      'Amounts of currencies with three decimals must be a multiple of ten. Nothing was paid back.',
    action: 'Send the refund with a new key and an amount that is a multiple of ten.',
    newKey: 'safe',
  },
  refund_exceeds_payment: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The refund is larger than what is left of the payment',
    explanation: 'Earlier refunds and this one together would exceed what was paid. Nothing was paid back.',
    action:
      'Send it with a new key: at most what is left, or without an amount, which refunds all that is left then.',
    newKey: 'safe',
  },
});

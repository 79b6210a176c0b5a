import type { Problem, Verdict } from '#idempotency/index.ts';
import { contradicts } from '#payments/money.ts';
import {
  type FinalResult,
  type Payment,
  type PaymentResponse,
  paymentResponse,
  responseStatus,
} from '#payments/payment.ts';
import { byId, operationOf } from '#payments/payment-rows.ts';
import { paymentProblems } from '#payments/problems.ts';
import { type Intent, isCallersMistake, type ProviderResult } from '#payments/provider.ts';
import { outboxTopic, topicOfReference } from '#payments/topics.ts';
import type { Prisma } from '#prisma';
import type { CompletionOf } from '../copy.ts';
import { createPaymentProblems } from './definition.ts';
import { releasePayment } from './release-payment.ts';
import { completionRow } from './row-statements.ts';

type Tx = Prisma.TransactionClient;
export type PaymentVerdict = Verdict<PaymentResponse, Tx>;

/** What the provider's response to a confirm means for the operation. */
export function verdictOnConfirm(payment: Payment, result: ProviderResult): PaymentVerdict {
  if (result.kind === 'ambiguous') {
    return { kind: 'unknown', code: result.code, evidence: { code: result.code } };
  }
  if (result.kind !== 'responded') return releasedAfter(payment, result);
  const { intent } = result;
  const final = finalResultOf(intent);
  if (final) return verdictOnFinalIntent(payment, final, intent);
  // Cancelled, processing, waiting for the shopper's bank, or a new state: nothing is guessed, reconciliation asks.
  const { actionUrl } = intent;
  return {
    kind: 'unknown',
    code: `provider_${intent.state}`,
    evidence: { intent: intent.id, state: intent.state },
    ...(actionUrl && {
      writes: async (tx: Tx) => {
        await tx.payment.update({ where: byId(payment), data: { nextActionUrl: actionUrl } });
      },
    }),
  };
}

/**
 * The verdict on a payment whose intent is final. A decline moved no money, so only a success can have moved another amount
 * than was requested; that waits for an operator.
 */
export function verdictOnFinalIntent(
  payment: Payment,
  final: FinalResult,
  intent: Intent,
): PaymentVerdict & { kind: 'completed' | 'unknown' } {
  const evidence = { intent: intent.id, state: intent.state };
  if (final.kind === 'succeeded' && contradicts(payment, intent)) {
    const asked = { amountMinor: payment.amountMinor, currency: payment.currency };
    const found = { amountMinor: intent.amountMinor, currency: intent.currency };
    return { kind: 'unknown', code: 'contradictory', evidence: { ...evidence, asked, found } };
  }
  return { ...completedPayment(payment, final, 'evidence'), evidence };
}

/** The verdict on a final payment, on the provider's evidence or on an operator's assertion. */
export function completedPayment(
  payment: Payment,
  final: FinalResult,
  by: 'evidence' | 'assertion',
): PaymentVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: responseStatus,
    body: paymentResponse(payment, final),
    resource: { type: 'payment', id: payment.id },
    cause: `provider_${final.kind}` satisfies CompletionOf<'payment.create'>,
    writes: completionRow(payment, final, by),
    topics: [topicOfReference(payment), outboxTopic],
  };
}

/** The verdict on a payment that is booked already: only its record was lost, and gets its response again. */
export function restoredPayment(payment: Payment): PaymentVerdict {
  const intentId = payment.providerIntentId ?? '';
  const final = { kind: 'succeeded', intentId, chargeId: undefined } as const;
  const { writes: _, topics: __, ...verdict } = completedPayment(payment, final, 'evidence');
  return verdict;
}

/** The verdict on a payment whose intent can no longer charge. The next attempt starts again, with a new intent. */
export function canceledPayment(
  payment: Payment,
  intent: Intent,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    kind: 'failed_retryable',
    problem: { spec: createPaymentProblems.payment_canceled },
    evidence: { intent: intent.id, state: intent.state },
    writes: (tx) => releasePayment(tx, operationOf(payment), 'over'),
  };
}

/**
 * The verdict on a payment whose intent could not be created. Nothing can have moved: a confirm is sent only by an attempt
 * that has recorded the intent's id. If the outcome of the request is not known, an intent may exist that no attempt will
 * ever confirm, and the next attempt gets a downstream key of its own: the provider may have saved a failure under this one.
 */
export function verdictOnFailedCreate(
  payment: Payment,
  result: Exclude<ProviderResult, { kind: 'responded' }>,
): PaymentVerdict & { kind: 'failed_retryable' } {
  if (result.kind !== 'ambiguous') return releasedAfter(payment, result);
  return unrecordedPayment(payment, result.code);
}

/** The verdict on a payment of which no intent was recorded, so that none can have been confirmed. */
export function unrecordedPayment(
  payment: Payment,
  code: string,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    ...released(unreached),
    evidence: { code },
    writes: (tx) => releasePayment(tx, operationOf(payment), 'over'),
  };
}

/**
 * An intent that the bank declined could still be confirmed with another card by anyone who has its client secret, which
 * travels in addresses. So it is cancelled before the payment is final and gives its reference back. This is the result of
 * that cancel: unless it is known to have worked, the outcome is unknown.
 */
export function afterDecline(declined: Intent, canceled: ProviderResult): ProviderResult {
  if (canceled.kind !== 'responded') return { kind: 'ambiguous', code: canceled.code };
  const { intent } = canceled;
  return { ...canceled, intent: { ...intent, declineCode: intent.declineCode ?? declined.declineCode } };
}

/** A decline is final when the intent is cancelled: see `afterDecline`. */
export function finalResultOf(intent: Intent): FinalResult | undefined {
  if (intent.state === 'succeeded') {
    const { id: intentId, chargeId, card } = intent;
    return { kind: 'succeeded', intentId, chargeId, ...(card && { card }) };
  }
  if (intent.state === 'canceled' && intent.declineCode) {
    return { kind: 'declined', intentId: intent.id, declineCode: intent.declineCode };
  }
  return undefined;
}

/** The call was provably not executed, or refused: nothing happened, and the intent can be used again. */
function releasedAfter(
  payment: Payment,
  { kind, code }: Extract<ProviderResult, { kind: 'not_executed' | 'rejected' }>,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    ...released(kind === 'rejected' ? rejection(code) : unreached),
    evidence: { code },
    writes: (tx) => releasePayment(tx, operationOf(payment), 'kept'),
  };
}

/** Nothing was sent: the caller no longer wants it. */
export function refused(payment: Payment, problem: Problem): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    ...released(problem),
    writes: (tx) => releasePayment(tx, operationOf(payment), 'kept'),
  };
}

const unreached: Problem = { spec: paymentProblems.provider_unavailable, retryAfterSeconds: 2 };

function rejection(code: string): Problem {
  return { spec: isCallersMistake(code) ? createPaymentProblems[code] : paymentProblems.provider_rejected };
}

/** Nothing happened; the next attempt starts again. */
export function released(problem: Problem): PaymentVerdict & { kind: 'failed_retryable' } {
  return { kind: 'failed_retryable', problem };
}

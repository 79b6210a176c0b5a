import type { Problem, Verdict } from '#idempotency/index.ts';
import { contradicts } from '#payments/money.ts';
import {
  type FinalResult,
  type Payment,
  type PaymentResponse,
  paymentResponse,
  responseStatus,
} from '#payments/payment.ts';
import { keyOf, operationOf } from '#payments/payment-rows.ts';
import { paymentProblems } from '#payments/problems.ts';
import type { Intent, ProviderResult } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import type { CompletionOf } from '../copy.ts';
import { completePayment, releasePayment } from './complete-payment.ts';
import { createPaymentProblems } from './definition.ts';

type Tx = Prisma.TransactionClient;
export type PaymentVerdict = Verdict<PaymentResponse, Tx>;

/** What the provider's response to a confirm means for the operation. */
export function verdictOnConfirm(payment: Payment, result: ProviderResult): PaymentVerdict {
  if (result.kind !== 'responded') return verdictOnFailedCall(payment, result, 'intent_created');
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
        await tx.payment.update({ where: keyOf(payment), data: { nextActionUrl: actionUrl } });
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
  return { ...completedPayment(payment, final), evidence };
}

/** The verdict on a final payment, on the provider's evidence or on an operator's assertion. */
export function completedPayment(
  payment: Payment,
  final: FinalResult,
): PaymentVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: responseStatus,
    body: paymentResponse(payment, final),
    resource: { type: 'payment', id: payment.id },
    cause: `provider_${final.kind}` satisfies CompletionOf<'payment.create'>,
    writes: (tx) => completePayment(tx, payment, final),
  };
}

/** The verdict on a payment whose intent can no longer charge. The next attempt starts again, with a new intent. */
export function canceledPayment(
  payment: Payment,
  intent: Intent,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    kind: 'failed_retryable',
    problem: { spec: createPaymentProblems.payment_canceled },
    recoveryPoint: 'claimed',
    evidence: { intent: intent.id, state: intent.state },
    writes: (tx) => releasePayment(tx, operationOf(payment), 'over'),
  };
}

/**
 * The verdict on a payment whose intent the provider refuses to create, found after its response to the first request was
 * lost. The first request may still have created one that the provider no longer remembers by its key, so the next attempt
 * gets a downstream key of its own.
 */
export function uncreatedPayment(
  payment: Payment,
  code: string,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    ...released({ spec: paymentProblems.provider_rejected }, 'claimed'),
    evidence: { code },
    writes: (tx) => releasePayment(tx, operationOf(payment), 'over'),
  };
}

export function finalResultOf(intent: Intent): FinalResult | undefined {
  if (intent.state === 'succeeded') {
    const { id: intentId, chargeId, card } = intent;
    return { kind: 'succeeded', intentId, chargeId, ...(card && { card }) };
  }
  if (intent.state === 'declined') {
    return { kind: 'declined', intentId: intent.id, declineCode: intent.declineCode ?? 'declined' };
  }
  return undefined;
}

export function verdictOnFailedCall(
  payment: Payment,
  result: Exclude<ProviderResult, { kind: 'responded' }>,
  recoveryPoint: string,
): PaymentVerdict {
  const evidence = { code: result.code };
  switch (result.kind) {
    case 'ambiguous':
      return { kind: 'unknown', code: result.code, evidence };
    case 'not_executed':
      return {
        ...released({ spec: paymentProblems.provider_unavailable, retryAfterSeconds: 2 }, recoveryPoint),
        evidence,
        writes: (tx) => releasePayment(tx, operationOf(payment), 'kept'),
      };
    case 'rejected':
      return {
        ...released({ spec: paymentProblems.provider_rejected }, recoveryPoint),
        evidence,
        writes: (tx) => releasePayment(tx, operationOf(payment), 'kept'),
      };
  }
}

/** Nothing happened; the next attempt may start from this point. */
export function released(
  problem: Problem,
  recoveryPoint: string,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return { kind: 'failed_retryable', problem, recoveryPoint };
}

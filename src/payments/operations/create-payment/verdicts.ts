import type { Problem, Verdict } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import { contradicts } from '#payments/money.ts';
import {
  answerStatus,
  type FinalResult,
  type Payment,
  type PaymentAnswer,
  paymentAnswer,
} from '#payments/payment.ts';
import { paymentProblems } from '#payments/problems.ts';
import type { Intent, ProviderResult } from '#payments/provider.ts';
import { releasePayment, settlePayment } from './complete-payment.ts';

type Tx = Prisma.TransactionClient;
export type PaymentVerdict = Verdict<PaymentAnswer, Tx>;

/** What the provider's answer to a confirm means for the operation. */
export function verdictOnConfirm(payment: Payment, result: ProviderResult): PaymentVerdict {
  if (result.kind !== 'answered') return verdictOnSilence(payment, result, 'intent_created');
  const { intent } = result;
  const final = finalResultOf(intent);
  if (final) return settledPayment(payment, final, intent);
  // Cancelled, processing, waiting for the shopper's bank, or something new: not ours to guess. Reconciliation asks.
  const { actionUrl } = intent;
  return {
    kind: 'unknown',
    code: `provider_${intent.state}`,
    evidence: { intent: intent.id, state: intent.state },
    ...(actionUrl && {
      writes: async (tx: Tx) => {
        await tx.payment.update({ where: { id: payment.id }, data: { nextActionUrl: actionUrl } });
      },
    }),
  };
}

/**
 * The verdict on a payment whose intent has come to its end, whoever learned of it. A decline moved no money, so only a
 * success can have moved other money than was asked for; that waits for a person.
 */
export function settledPayment(
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
  return { ...believedPayment(payment, final), evidence };
}

/** The verdict on a payment that has ended, by the provider's word or, where that cannot be had, by a person's. */
export function believedPayment(
  payment: Payment,
  final: FinalResult,
): PaymentVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: answerStatus,
    body: paymentAnswer(payment, final),
    resource: { type: 'payment', id: payment.id },
    cause: `provider_${final.kind}`,
    writes: (tx) => settlePayment(tx, payment, final),
  };
}

/** The verdict on a payment whose intent can never charge any more. The next attempt starts from nothing, with a new one. */
export function fencedPayment(
  payment: Payment,
  intent: Intent,
): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    kind: 'failed_retryable',
    problem: { spec: paymentProblems.payment_fenced },
    recoveryPoint: 'claimed',
    evidence: { intent: intent.id, state: intent.state },
    writes: (tx) => releasePayment(tx, payment.operationId, 'over'),
  };
}

/**
 * The verdict on a payment whose intent the provider refuses to make, learned after its answer to the first request was lost.
 * An owner that is refused releases as well. But whether the first request made one may be forgotten by now, so the next
 * attempt has nothing to do with it: it gets a downstream key of its own.
 */
export function unmadePayment(payment: Payment, code: string): PaymentVerdict & { kind: 'failed_retryable' } {
  return {
    ...released({ spec: paymentProblems.provider_rejected }, 'claimed'),
    evidence: { code },
    writes: (tx) => releasePayment(tx, payment.operationId, 'over'),
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

export function verdictOnSilence(
  payment: Payment,
  result: Exclude<ProviderResult, { kind: 'answered' }>,
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
        writes: (tx) => releasePayment(tx, payment.operationId, 'kept'),
      };
    case 'rejected':
      return {
        ...released({ spec: paymentProblems.provider_rejected }, recoveryPoint),
        evidence,
        writes: (tx) => releasePayment(tx, payment.operationId, 'kept'),
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

import type { Problem, ProblemSpec, Verdict } from '#idempotency/index.ts';
import { contradicts } from '#payments/money.ts';
import { responseStatus } from '#payments/payment.ts';
import { operationOf } from '#payments/payment-rows.ts';
import { paymentProblems } from '#payments/problems.ts';
import { type ProviderRefund, type RefundResult, refundedElsewhere } from '#payments/provider.ts';
import { outboxTopic } from '#payments/topics.ts';
import type { Prisma } from '#prisma';
import type { CompletionOf } from '../copy.ts';
import { completeRefund, releaseRefund } from './complete-refund.ts';
import { createRefundProblems } from './definition.ts';
import { type Refund, type RefundResponse, refundResponse, requestedRefund } from './refund.ts';

type Tx = Prisma.TransactionClient;
export type RefundVerdict = Verdict<RefundResponse, Tx>;

/** What the provider's response to a refund means for the operation. */
export function verdictOnRefund(refund: Refund, result: RefundResult): RefundVerdict {
  const release = { writes: (tx: Tx) => releaseRefund(tx, operationOf(refund), 'kept') };
  switch (result.kind) {
    case 'responded':
      return verdictOnState(refund, result.refund);
    case 'ambiguous':
      return { kind: 'unknown', code: result.code, evidence: { code: result.code } };
    case 'not_executed':
      return {
        ...released({ spec: paymentProblems.provider_unavailable, retryAfterSeconds: 2 }),
        ...release,
        evidence: { code: result.code },
      };
    case 'rejected':
      return {
        ...released({ spec: rejectionOf(result.code) }),
        ...release,
        evidence: { code: result.code },
      };
  }
}

/** The provider knows of a refund that we do not: its event comes, and then the payment says what is left. */
function rejectionOf(code: string): ProblemSpec {
  return code === refundedElsewhere
    ? createRefundProblems.refund_exceeds_payment
    : paymentProblems.provider_rejected;
}

function verdictOnState(refund: Refund, { id, state, ...found }: ProviderRefund): RefundVerdict {
  const evidence = { refund: id, state };
  if (state === 'succeeded') {
    const requested = requestedRefund(refund);
    return contradicts(requested, found)
      ? { kind: 'unknown', code: 'contradictory', evidence: { ...evidence, asked: requested, found } }
      : { ...completedRefund(refund, id, 'evidence'), evidence };
  }
  if (state === 'failed') {
    return {
      ...released({
        spec: paymentProblems.provider_rejected,
        detail: 'The provider could not pay the money back.',
      }),
      evidence,
      writes: (tx) => releaseRefund(tx, operationOf(refund), 'next'),
    };
  }
  return { kind: 'unknown', code: 'provider_pending', evidence };
}

/** The verdict on a refund that was paid, on the provider's evidence or on an operator's assertion. */
export function completedRefund(
  refund: Refund,
  providerRefundId: string | undefined,
  by: 'evidence' | 'assertion',
): RefundVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: responseStatus,
    body: refundResponse(refund),
    resource: { type: 'refund', id: refund.id },
    cause: 'provider_succeeded' satisfies CompletionOf<'refund.create'>,
    writes: (tx) => completeRefund(tx, refund, providerRefundId, by),
    topics: [outboxTopic],
  };
}

/** The verdict on a refund that is booked already: only its record was lost, and gets its response again. */
export function restoredRefund(refund: Refund): RefundVerdict {
  const { writes: _, topics: __, ...verdict } = completedRefund(refund, undefined, 'evidence');
  return verdict;
}

/**
 * The verdict on a refund that the provider does not list long after the last request for it. The next attempt has a
 * downstream key of its own, because the provider may still replay a failure that it saved under the old one.
 */
export function absentRefund(refund: Refund): RefundVerdict & { kind: 'failed_retryable' } {
  return {
    ...released({
      spec: paymentProblems.provider_rejected,
      detail: 'The provider has not paid the money back.',
    }),
    evidence: { listed: 'none', generation: refund.generation },
    writes: (tx) => releaseRefund(tx, operationOf(refund), 'next'),
  };
}

/** Nothing happened; the next attempt starts again. */
export function released(problem: Problem): RefundVerdict & { kind: 'failed_retryable' } {
  return { kind: 'failed_retryable', problem };
}

import { z } from 'zod';
import type { Execution, OperationDefinition, Problem, Verdict } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { contradicts, type Money, maxAmountMinor } from '#payments/money.ts';
import { responseStatus } from '#payments/payment.ts';
import { operationOf } from '#payments/payment-rows.ts';
import { paymentProblems } from '#payments/problems.ts';
import type { PaymentProvider, ProviderRefund, RefundResult } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import { createPaymentOperation } from '../create-payment/create-payment.ts';
import {
  completeRefund,
  type Refund,
  type RefundResponse,
  refundResponse,
  releaseRefund,
  reserveRefund,
} from './refund.ts';

type Tx = Prisma.TransactionClient;
type RefundVerdict = Verdict<RefundResponse, Tx>;

export const createRefundCommand = z.object({
  paymentId: z.uuid(),
  /** Left out: the whole rest. */
  amountMinor: z.int().positive().max(maxAmountMinor).optional(),
});
export type CreateRefund = z.output<typeof createRefundCommand>;

const minuteMs = 60 * 1000;
const hourMs = 60 * minuteMs;

/** claimed → refund_sent → finished. Paying back is one call, so there is one point to write ahead of it. */
export const createRefundOperation: OperationDefinition<Tx> = {
  ...createPaymentOperation,
  name: 'refund.create',
  recoveryPoints: { claimed: 'unsent', refund_sent: 'sent' },
  // No shopper waits for it, so it is soon checked less often than a payment. A bank may take ten working days: with two
  // weekends that is fourteen, and only then is it worth an operator's time.
  reconcilePausesMs: [
    ...[5 * 1000, 15 * 1000, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs],
    ...Array.from({ length: 14 }, () => 24 * hourMs),
  ],
  onReleased: (tx, record) => releaseRefund(tx, record, 'never_made'),
};

export async function createRefund(
  provider: PaymentProvider,
  execution: Execution<Tx>,
  command: CreateRefund,
): Promise<RefundVerdict> {
  const opened = await openRefund(execution, command);
  if ('kind' in opened) return opened;
  const intentId = opened.payment.providerIntentId;
  if (!intentId) throw new Error(`Payment ${opened.payment.id} succeeded without an intent.`);

  await execution.phase('refund_sent');
  const result = await execution.unlessResolved(provider.createRefund({ ...opened, intentId }));
  return verdictOnRefund(opened, result);
}

async function openRefund(execution: Execution<Tx>, command: CreateRefund): Promise<Refund | RefundVerdict> {
  let refund: Refund | undefined;
  try {
    await execution.phase('claimed', async (tx) => {
      refund = await reserveRefund(tx, execution.ref, command);
    });
  } catch (error) {
    // The CHECK on the payment: together with the others this refund would be more than was paid.
    if (sqlState(error) === '23514') return released({ spec: paymentProblems.refund_exceeds_payment });
    throw error;
  }
  return refund ?? released({ spec: paymentProblems.payment_not_refundable });
}

export function verdictOnRefund(refund: Refund, result: RefundResult): RefundVerdict {
  const release = { writes: (tx: Tx) => releaseRefund(tx, operationOf(refund), 'never_made') };
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
        ...released({ spec: paymentProblems.provider_rejected }),
        ...release,
        evidence: { code: result.code },
      };
  }
}

function verdictOnState(refund: Refund, { id, state, ...found }: ProviderRefund): RefundVerdict {
  const evidence = { refund: id, state };
  if (state === 'succeeded') {
    const requested = requestedRefund(refund);
    return contradicts(requested, found)
      ? { kind: 'unknown', code: 'contradictory', evidence: { ...evidence, asked: requested, found } }
      : { ...completedRefund(refund, id), evidence };
  }
  if (state === 'failed') {
    return {
      ...released({
        spec: paymentProblems.provider_rejected,
        detail: 'The provider could not pay the money back.',
      }),
      evidence,
      writes: (tx) => releaseRefund(tx, operationOf(refund), 'failed'),
    };
  }
  return { kind: 'unknown', code: 'provider_pending', evidence };
}

/** What the provider was asked to pay back. */
export function requestedRefund(refund: Refund): Money {
  return { amountMinor: refund.amountMinor, currency: refund.payment.currency };
}

/** The verdict on a refund that was paid, on the provider's evidence or on an operator's assertion. */
export function completedRefund(
  refund: Refund,
  providerRefundId: string | undefined,
): RefundVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: responseStatus,
    body: refundResponse(refund),
    resource: { type: 'refund', id: refund.id },
    cause: 'provider_succeeded',
    writes: (tx) => completeRefund(tx, refund, providerRefundId),
  };
}

function released(problem: Problem): RefundVerdict & { kind: 'failed_retryable' } {
  return { kind: 'failed_retryable', problem };
}

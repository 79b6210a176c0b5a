import { z } from 'zod';
import type { Execution, OperationDefinition, Problem, Verdict } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import type { Prisma } from '#prisma';
import { contradicts, type Money, maxAmountMinor } from '#payments/money.ts';
import { answerStatus } from '#payments/payment.ts';
import { paymentProblems } from '#payments/problems.ts';
import type { PaymentProvider, ProviderRefund, RefundResult } from '#payments/provider.ts';
import {
  type Refund,
  type RefundAnswer,
  refundAnswer,
  releaseRefund,
  reserveRefund,
  settleRefund,
} from './refund.ts';
import { createPaymentOperation } from '../create-payment/create-payment.ts';

type Tx = Prisma.TransactionClient;
type RefundVerdict = Verdict<RefundAnswer, Tx>;

export const createRefundCommand = z.object({
  paymentId: z.uuid(),
  /** Left out: all that is left. */
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
  // Nobody stands at a till for it, so it is soon asked about less often than a payment. And a bank may take ten working
  // days over one: with two weekends that is fourteen, and only then is it worth a person's time.
  reconcilePausesMs: [
    ...[5 * 1000, 15 * 1000, minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs],
    ...Array.from({ length: 14 }, () => 24 * hourMs),
  ],
  onReleased: (tx, record) => releaseRefund(tx, record.id, 'never_made'),
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
  const result = await execution.unlessSettled(provider.createRefund({ ...opened, intentId }));
  return verdictOnRefund(opened, result);
}

async function openRefund(execution: Execution<Tx>, command: CreateRefund): Promise<Refund | RefundVerdict> {
  let refund: Refund | undefined;
  try {
    await execution.phase('claimed', async (tx) => {
      refund = await reserveRefund(tx, execution.operationId, { ...command, tenantId: execution.tenantId });
    });
  } catch (error) {
    // The CHECK on the payment: together with the others this refund would be more than was paid.
    if (sqlState(error) === '23514') return released({ spec: paymentProblems.refund_exceeds_payment });
    throw error;
  }
  return refund ?? released({ spec: paymentProblems.payment_not_refundable });
}

export function verdictOnRefund(refund: Refund, result: RefundResult): RefundVerdict {
  const give = { writes: (tx: Tx) => releaseRefund(tx, refund.operationId, 'never_made') };
  switch (result.kind) {
    case 'answered':
      return verdictOnState(refund, result.refund);
    case 'ambiguous':
      return { kind: 'unknown', code: result.code, evidence: { code: result.code } };
    case 'not_executed':
      return {
        ...released({ spec: paymentProblems.provider_unavailable, retryAfterSeconds: 2 }),
        ...give,
        evidence: { code: result.code },
      };
    case 'rejected':
      return {
        ...released({ spec: paymentProblems.provider_rejected }),
        ...give,
        evidence: { code: result.code },
      };
  }
}

function verdictOnState(refund: Refund, { id, state, ...found }: ProviderRefund): RefundVerdict {
  const evidence = { refund: id, state };
  if (state === 'succeeded') {
    const asked = askedBack(refund);
    return contradicts(asked, found)
      ? { kind: 'unknown', code: 'contradictory', evidence: { ...evidence, asked, found } }
      : { ...believedRefund(refund, id), evidence };
  }
  if (state === 'failed') {
    return {
      ...released({
        spec: paymentProblems.provider_rejected,
        detail: 'The provider could not pay the money back.',
      }),
      evidence,
      writes: (tx) => releaseRefund(tx, refund.operationId, 'failed'),
    };
  }
  return { kind: 'unknown', code: 'provider_pending', evidence };
}

/** What the provider was asked to pay back. */
export function askedBack(refund: Refund): Money {
  return { amountMinor: refund.amountMinor, currency: refund.payment.currency };
}

/** The verdict on a refund that was paid, by the provider's word or, where that cannot be had, by a person's. */
export function believedRefund(
  refund: Refund,
  providerRefundId: string | undefined,
): RefundVerdict & { kind: 'completed' } {
  return {
    kind: 'completed',
    status: answerStatus,
    body: refundAnswer(refund),
    resource: { type: 'refund', id: refund.id },
    cause: 'provider_succeeded',
    writes: (tx) => settleRefund(tx, refund, providerRefundId),
  };
}

function released(problem: Problem): RefundVerdict & { kind: 'failed_retryable' } {
  return { kind: 'failed_retryable', problem };
}

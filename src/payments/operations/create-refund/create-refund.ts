import { z } from 'zod';
import type { Execution } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { maxAmountMinor } from '#payments/money.ts';
import type { PaymentProvider } from '#payments/provider.ts';
import type { Prisma } from '#prisma';
import { createRefundProblems } from './definition.ts';
import { type Refund, reserveRefund } from './refund.ts';
import { type RefundVerdict, released, verdictOnRefund } from './verdicts.ts';

type Tx = Prisma.TransactionClient;

export const createRefundCommand = z.object({
  paymentId: z.uuid(),
  /** Left out: the whole rest. */
  amountMinor: z.int().positive().max(maxAmountMinor).optional(),
});
export type CreateRefund = z.output<typeof createRefundCommand>;

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
    if (sqlState(error) === '23514') return released({ spec: createRefundProblems.refund_exceeds_payment });
    throw error;
  }
  return refund ?? released({ spec: createRefundProblems.payment_not_refundable });
}

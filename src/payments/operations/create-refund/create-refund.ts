import { z } from 'zod';
import type { Execution, Problem, ProblemSpec } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import { isCompared, notCompared } from '#payments/database-gap.ts';
import { isRestored } from '#payments/exceptions/restored.ts';
import { isAmountAllowed, maxAmountMinor } from '#payments/money.ts';
import { lockPayment } from '#payments/payment-rows.ts';
import type { PaymentProvider, RefundResult } from '#payments/provider.ts';
import { consolePrefix, dashboardPrefix, ownReference } from '#payments/refund-references.ts';
import type { Prisma } from '#prisma';
import { expiredKey } from '../expired-key.ts';
import { releaseRefund } from './complete-refund.ts';
import { createRefundProblems } from './definition.ts';
import {
  findRefundByOperation,
  isSameRefund,
  mayReopen,
  type Refund,
  requestedRefund,
  reserveRefund,
} from './refund.ts';
import { type RefundVerdict, released, restoredRefund, verdictOnRefund } from './verdicts.ts';

type Tx = Prisma.TransactionClient;

/** Strict: without its amount, because the name is misspelt, a refund would pay back all that is left. */
export const createRefundCommand = z.strictObject({
  // As the database writes it, so that it can be compared.
  paymentId: z.uuid().toLowerCase(),
  reference: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .regex(
      ownReference,
      `must not begin with ${consolePrefix} or ${dashboardPrefix}, as those of other refunds do`,
    ),
  /** Left out: the whole rest. */
  amountMinor: z.int().positive().max(maxAmountMinor).optional(),
});
export type CreateRefund = z.output<typeof createRefundCommand>;

/**
 * Asked in the transaction that reserves the refund and holds the lock on its payment, so that of two refunds at the same
 * moment one sees the other. A problem is why the refund is not made.
 */
export type RefundCondition = (tx: Tx) => Promise<Problem | undefined>;

export async function createRefund(
  provider: PaymentProvider,
  execution: Execution<Tx>,
  command: CreateRefund,
  condition?: RefundCondition,
): Promise<RefundVerdict> {
  const opened = await openRefund(execution, command, condition);
  if ('kind' in opened) return opened;
  const { refund, isReopened, isFlagged } = opened;
  const intentId = refund.payment.providerIntentId;
  if (!intentId) throw new Error(`Payment ${refund.payment.id} succeeded without an intent.`);

  const request = { ...refund, intentId };
  const earlier = isReopened ? await provider.findRefund(request) : undefined;
  if (earlier) return verdictOnEarlier(refund, earlier);
  // An operator is shown that it was made after all: the list lags.
  if (isFlagged) return verdictOnRefund(refund, { kind: 'not_executed', code: 'refund_not_found' });
  await execution.phase('refund_sent');
  const result = await execution.unlessResolved(provider.createRefund(request));
  return verdictOnRefund(refund, result);
}

/**
 * A refund that was released, or that our database had lost, may have been made after all. The provider forgets a downstream
 * key after a day and would make it again, so it is asked first. Nothing has been sent by this attempt yet.
 */
function verdictOnEarlier(refund: Refund, found: RefundResult): RefundVerdict {
  if (found.kind !== 'ambiguous') return verdictOnRefund(refund, found);
  return verdictOnRefund(refund, { kind: 'not_executed', code: found.code });
}

interface Opened {
  readonly refund: Refund;
  readonly isReopened: boolean;
  /** An exception says that the provider has made it. */
  readonly isFlagged: boolean;
}

async function openRefund(
  execution: Execution<Tx>,
  command: CreateRefund,
  condition?: RefundCondition,
): Promise<Opened | RefundVerdict> {
  let refund: Refund | undefined;
  let refusal: Problem | undefined;
  let isReopened = false;
  let isFlagged = false;
  let compared = false;
  let over: Refund | undefined;
  let restored = false;
  try {
    await execution.phase('claimed', async (tx) => {
      compared = await isCompared(tx);
      if (!compared) return;
      await lockPayment(tx, { tenantId: execution.tenantId, id: command.paymentId });
      const existing = await findRefundByOperation(tx, execution.ref);
      isReopened = existing !== undefined;
      isFlagged = existing !== undefined && (await hasOpenException(tx, existing));
      if (existing && !mayReopen(existing, command)) {
        over = existing;
        restored = await isRestoredAs(tx, existing, command);
      } else refund = await reserveRefund(tx, execution.ref, command);
      if (refund) refusal = await condition?.(tx);
    });
  } catch (error) {
    const code = sqlState(error);
    // The CHECK on the payment: together with the others this refund would be more than was paid.
    if (code === '23514')
      return refusedUnlessMade(execution, command, createRefundProblems.refund_exceeds_payment);
    // The unique index on live refunds of a payment.
    if (code === '23505') return released(existsProblem(await findHolder(execution, command)));
    throw error;
  }
  if (!compared) return released(notCompared);
  if (over && restored) return restoredRefund(over);
  if (over) return expiredKey({ type: 'refund', id: over.id });
  if (!refund) return refusedUnlessMade(execution, command, createRefundProblems.payment_not_refundable);
  if (!isAmountAllowed(requestedRefund(refund))) {
    refusal ??= { spec: createRefundProblems.refund_amount_not_allowed };
  }
  if (!refusal) return { refund, isReopened, isFlagged };
  return { ...released(refusal), writes: (tx) => releaseRefund(tx, execution.ref, 'kept') };
}

async function hasOpenException(tx: Tx, { tenantId, id: refundId }: Refund): Promise<boolean> {
  return (await tx.reconciliationException.count({ where: { tenantId, refundId, status: 'open' } })) > 0;
}

/**
 * Too little is left of the payment. Where a refund with the same reference took it, that is what the caller has to know: it asks for
 * that refund again, and the advice for one that is too large would have it ask for the rest as well.
 */
async function refusedUnlessMade(
  execution: Execution<Tx>,
  command: CreateRefund,
  spec: ProblemSpec,
): Promise<RefundVerdict> {
  const holder = await findHolder(execution, command);
  return released(holder ? existsProblem(holder) : { spec });
}

interface Holder {
  readonly id: string;
  readonly status: string;
}

/** Which refund holds the reference, in a transaction of its own: that of the reservation was rolled back. */
async function findHolder(execution: Execution<Tx>, command: CreateRefund): Promise<Holder | undefined> {
  const { tenantId } = execution;
  const { paymentId, reference } = command;
  let holder: Holder | null = null;
  await execution.phase('claimed', async (tx) => {
    const status = { in: ['pending', 'succeeded'] };
    holder = await tx.refund.findFirst({ where: { tenantId, paymentId, reference, status } });
  });
  return holder ?? undefined;
}

function existsProblem(holder: Holder | undefined): Problem {
  return {
    spec: createRefundProblems.refund_exists_for_reference,
    ...(holder && { extensions: { refundId: holder.id, refundStatus: holder.status } }),
  };
}

async function isRestoredAs(tx: Tx, refund: Refund, command: CreateRefund): Promise<boolean> {
  if (refund.status !== 'succeeded' || !isSameRefund(refund, command)) return false;
  return isRestored(tx, refund.tenantId, { paymentId: refund.payment.id, refundId: refund.id });
}

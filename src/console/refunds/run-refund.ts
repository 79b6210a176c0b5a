import type { Engine, Outcome, ProblemSpec } from '#idempotency/index.ts';
import {
  createRefund,
  createRefundKind,
  createRefundProblems,
  type PaymentProvider,
  type RefundCondition,
} from '#payments/index.ts';
import { isAmountAllowed, money } from '#payments/money.ts';
import type { Payment, Prisma, PrismaClient } from '#prisma';
import { type Actor, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { RoleLost } from '../members/membership.ts';
import {
  isOutdated,
  isOvertaken,
  type RefundRequest,
  referenceOf,
  refundRequestProblems,
} from './refund-request.ts';

const overtaken = refundRequestProblems.refund_overtaken;

export interface RefundServices {
  readonly db: PrismaClient;
  readonly engine: Engine<Prisma.TransactionClient>;
  readonly provider: PaymentProvider;
}

export type RefundResult =
  | { readonly kind: 'refunded'; readonly operationId: string }
  /** The provider has not confirmed it. It is checked like every unknown operation. */
  | { readonly kind: 'unknown'; readonly operationId: string }
  /** The same refund is being made at this moment. */
  | { readonly kind: 'in_progress' }
  /** Nothing was paid back, and the same refund may be tried again. */
  | { readonly kind: 'refused'; readonly code: string; readonly title: string; readonly action: string }
  /** Another refund was made since the operator opened the page. */
  | { readonly kind: 'outdated' };

/** The refund itself, through the same operation as a refund over the HTTP API. */
export async function runRefund(
  { db, engine, provider }: RefundServices,
  actor: Actor,
  request: RefundRequest,
  condition?: RefundCondition,
): Promise<RefundResult> {
  const { tenantId } = actor;
  if (await isOutdated(db, tenantId, request)) return { kind: 'outdated' };
  const { paymentId, amountMinor, reason } = request;
  const reference = referenceOf(request);
  const input = { paymentId, reference, amountMinor };
  const outcome = await engine.run(
    createRefundKind.definition,
    // The operators of a shop are one principal: the second one joins the first one's refund.
    { tenantId, principal: 'console', keyHeader: `${reference}-${paymentId}-${amountMinor}`, input },
    async (execution) => {
      await writeAuditEntry(db, actor, {
        action: 'payment.refund',
        subject: { type: 'payment', id: paymentId },
        reason,
        details: { amountMinor, operation: execution.operationId },
      });
      return createRefund(provider, execution, input, async (tx) =>
        (await isOvertaken(tx, tenantId, request, execution.operationId))
          ? { spec: overtaken }
          : condition?.(tx),
      );
    },
  );
  if (outcome.kind === 'refused' && outcome.thrown?.error instanceof RoleLost) throw outcome.thrown.error;
  return resultOf(outcome);
}

function resultOf(outcome: Outcome): RefundResult {
  switch (outcome.kind) {
    case 'completed':
      return { kind: 'refunded', operationId: outcome.operationId };
    case 'pending':
      return { kind: 'unknown', operationId: outcome.operationId };
    case 'refused': {
      const { code } = outcome.problem.spec;
      if (code === 'idempotency_key_in_progress') return { kind: 'in_progress' };
      if (code === overtaken.code || code === 'refund_exists_for_reference') return { kind: 'outdated' };
      return refused(outcome.problem.spec);
    }
  }
}

function refused({ code, title, action }: ProblemSpec): RefundResult {
  return { kind: 'refused', code, title, action };
}

/** What could not be made is not proposed: it would keep others from being proposed, and an approval of it would stand for ever. */
export function refusalOf(
  { status, ...payment }: Pick<Payment, 'status' | 'amountMinor' | 'refundedMinor' | 'currency'>,
  { amountMinor }: RefundRequest,
): RefundResult | undefined {
  const left = Number(payment.amountMinor - payment.refundedMinor);
  if (status !== 'succeeded' || left === 0) return refused(createRefundProblems.payment_not_refundable);
  if (amountMinor > left) return refused(createRefundProblems.refund_exceeds_payment);
  const isAllowed = isAmountAllowed(money(BigInt(amountMinor), payment.currency));
  return isAllowed ? undefined : refused(createRefundProblems.refund_amount_not_allowed);
}

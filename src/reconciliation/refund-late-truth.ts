import type { Engine } from '#idempotency/index.ts';
import {
  createRefund,
  createRefundOperation,
  findPaymentByOperation,
  type Payment,
  type PaymentProvider,
} from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import type { Tx } from './investigate.ts';

export type LateRefund =
  | { readonly kind: 'refunded' }
  /** The provider has not said that it is done; it is safe to ask for it again. */
  | { readonly kind: 'not_yet'; readonly code: string }
  | { readonly kind: 'not_open' };

/**
 * Sends the money of a late truth back, once: a second click, or a second operator, joins the first. What is in our
 * books is refunded through them, like any refund; what never was in our books is only sent back at the provider.
 */
export async function refundLateTruth(
  parts: { readonly db: PrismaClient; readonly engine: Engine<Tx>; readonly provider: PaymentProvider },
  tenantId: string,
  lateTruthId: string,
  decision: {
    readonly actor: string;
    readonly reason?: string;
    /** In the transaction that says it is decided. */
    readonly writes?: (tx: Tx) => Promise<void>;
  },
): Promise<LateRefund> {
  const { db, engine, provider } = parts;
  const late = await db.lateTruth.findFirst({
    where: { id: lateTruthId, tenantId, status: 'open' },
    include: { payment: { select: { operationId: true } } },
  });
  const payment = late && (await findPaymentByOperation(db, late.payment.operationId));
  if (!late || !payment) return { kind: 'not_open' };

  const booked = payment.status === 'succeeded' && payment.providerIntentId === late.intentId;
  const failure = booked ? await refundBooked(payment) : await refundUnbooked(payment);
  if (failure) return { kind: 'not_yet', code: failure };
  await db.$transaction(async (tx) => {
    const decided = await tx.$executeRaw`
      UPDATE late_truth SET status = 'refunded', decided_at = clock_timestamp(), decided_by = ${decision.actor},
        decision_reason = ${decision.reason ?? null}
      WHERE id = ${lateTruthId}::uuid AND status = 'open'`;
    if (decided === 1) await decision.writes?.(tx);
  });
  return { kind: 'refunded' };

  async function refundBooked({ id: paymentId }: Payment): Promise<string | undefined> {
    // One key per late truth, whoever clicks: the principal is the decision, not the person.
    const name = `late-truth-${lateTruthId}`;
    const request = { tenantId, principal: name, keyHeader: name, input: { paymentId } };
    const outcome = await engine.run(createRefundOperation, request, (execution) =>
      createRefund(provider, execution, { paymentId }),
    );
    if (outcome.kind === 'answered') return undefined;
    return outcome.kind === 'pending' ? 'operation_unknown' : outcome.problem.spec.code;
  }

  async function refundUnbooked({ amountMinor }: Payment): Promise<string | undefined> {
    const request = {
      operationId: lateTruthId,
      tenantId,
      generation: 1,
      intentId: late?.intentId ?? '',
      amountMinor,
    };
    const result = (await provider.findRefund(request)) ?? (await provider.createRefund(request));
    if (result.kind !== 'answered') return result.code;
    return result.refund.state === 'succeeded' ? undefined : `provider_${result.refund.state}`;
  }
}

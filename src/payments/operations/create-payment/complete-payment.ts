import type { OperationRef } from '#idempotency/index.ts';
import { book } from '#payments/ledger.ts';
import { emitPaymentEvent } from '#payments/outbox/emit-event.ts';
import type { FinalResult, Payment } from '#payments/payment.ts';
import type { Prisma } from '#prisma';

/**
 * The final writes of a payment, for the transaction that also completes its operation. Every source of evidence (owner,
 * webhook, poll, operator) goes through here, so the follow-ups are the same and happen once.
 */
export async function completePayment(
  tx: Prisma.TransactionClient,
  payment: Payment,
  result: FinalResult,
): Promise<void> {
  const chargeId = result.kind === 'succeeded' ? (result.chargeId ?? null) : null;
  const card = result.kind === 'succeeded' ? result.card : undefined;
  const declineCode = result.kind === 'declined' ? result.declineCode : null;
  await tx.$executeRaw`
    UPDATE payment SET status = ${result.kind}, provider_intent_id = ${result.intentId},
      provider_charge_id = ${chargeId}, card_brand = ${card?.brand ?? null}, card_last4 = ${card?.last4 ?? null},
      decline_code = ${declineCode}, next_action_url = NULL, completed_at = clock_timestamp()
    WHERE tenant_id = ${payment.tenantId} AND id = ${payment.id}::uuid`;
  if (result.kind === 'succeeded') {
    await book(tx, payment, { kind: 'payment', sourceId: payment.id, amountMinor: payment.amountMinor });
  }
  await emitPaymentEvent(tx, payment, `payment.${result.kind}`);
}

/**
 * Nothing was charged: the reference is free again. An intent that is over, because it was cancelled or could not be made, can
 * never charge, so the next try gets a new one.
 */
export async function releasePayment(
  tx: Prisma.TransactionClient,
  { tenantId, id: operationId }: OperationRef,
  intent: 'kept' | 'over',
): Promise<void> {
  await tx.payment.updateMany({
    where: { tenantId, operationId, status: 'pending' },
    data: {
      status: 'released',
      nextActionUrl: null,
      ...(intent === 'over' && { generation: { increment: 1 }, providerIntentId: null }),
    },
  });
}

import { sqlState } from '#idempotency/stores/prisma.ts';
import {
  closeAsBooked,
  type ExceptionDecision,
  type LostBooking,
  NotBookable,
} from '#payments/exceptions/close-as-booked.ts';
import { lockPayment } from '#payments/payment-rows.ts';
import type { PaymentProvider } from '#payments/provider.ts';
import { readRefundState } from '#payments/refund-state.ts';
import type { PrismaClient } from '#prisma';
import { completeRefund } from './complete-refund.ts';
import { findRefundByOperation, reserveRefund } from './refund.ts';

/** Books a refund that our database had lost, as its completion would have. The provider is asked first. */
export async function bookLostRefund(
  parts: { readonly db: PrismaClient; readonly provider: PaymentProvider },
  tenantId: string,
  exceptionId: string,
  decision: ExceptionDecision,
): Promise<LostBooking> {
  const { db, provider } = parts;
  const exception = await db.reconciliationException.findFirst({
    where: { tenantId, id: exceptionId, status: 'open', reason: 'record_lost' },
    include: { refund: { select: { operationId: true } } },
  });
  const operation = exception?.refund && { tenantId, id: exception.refund.operationId };
  const refund = operation && (await findRefundByOperation(db, operation));
  const intentId = refund?.payment.providerIntentId;
  if (!refund || !intentId) return { kind: 'not_open' };
  const found = await readRefundState(provider, { ...refund, intentId });
  if (found.kind === 'no_evidence') return { kind: 'not_yet', code: found.code };
  if (found.state !== 'succeeded') return { kind: 'not_yet', code: `provider_${found.state ?? 'missing'}` };
  if (found.amountMinor !== refund.amountMinor) return { kind: 'not_yet', code: 'contradictory' };
  try {
    return await db.$transaction(async (tx): Promise<LostBooking> => {
      await lockPayment(tx, refund.payment);
      if (!(await closeAsBooked(tx, tenantId, exceptionId, decision))) return { kind: 'not_open' };
      // Its own key may have been tried again meanwhile, and has booked it, or is about to.
      const current = await findRefundByOperation(tx, operation);
      if (current?.status === 'pending') throw new NotBookable('payment_pending');
      if (current?.status === 'released') {
        const command = { paymentId: refund.payment.id, reference: refund.reference };
        const reserved = await reserveRefund(tx, operation, command);
        // Its payment was lost too, and has to be booked first.
        if (!reserved) throw new NotBookable('payment_not_refundable');
        await completeRefund(tx, reserved, found.refundId, 'evidence');
      }
      return { kind: 'booked' };
    });
  } catch (error) {
    if (error instanceof NotBookable) return { kind: 'not_yet', code: error.code };
    // More than is left of the payment, or another refund with its reference was made meanwhile.
    if (['23514', '23505'].includes(sqlState(error) ?? '')) return { kind: 'reference_used' };
    throw error;
  }
}

import type { IdempotencyStore } from '#idempotency/index.ts';
import { sqlState } from '#idempotency/stores/prisma.ts';
import {
  closeAsBooked,
  type ExceptionDecision,
  type LostBooking,
  NotBookable,
} from '#payments/exceptions/close-as-booked.ts';
import { contradicts } from '#payments/money.ts';
import { findPaymentByOperation, lockPayment, operationOf } from '#payments/payment-rows.ts';
import type { PaymentProvider } from '#payments/provider.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { completionRow } from './row-statements.ts';
import { finalResultOf } from './verdicts.ts';

type Tx = Prisma.TransactionClient;

/**
 * Books a payment that our database had lost, as its completion would have: final state, ledger and event. The provider is
 * asked first, and what it says is what is booked.
 */
export async function bookLostPayment(
  parts: {
    readonly db: PrismaClient;
    readonly store: IdempotencyStore<Tx>;
    readonly provider: PaymentProvider;
  },
  tenantId: string,
  exceptionId: string,
  decision: ExceptionDecision,
): Promise<LostBooking> {
  const { db, store, provider } = parts;
  const exception = await db.reconciliationException.findFirst({
    where: { tenantId, id: exceptionId, status: 'open', reason: 'record_lost' },
    include: { payment: { select: { operationId: true } } },
  });
  const payment =
    exception && (await findPaymentByOperation(db, { tenantId, id: exception.payment.operationId }));
  if (!payment || !exception?.intentId) return { kind: 'not_open' };
  const found = await provider.retrieveIntent(exception.intentId, payment);
  if (found.kind !== 'responded') return { kind: 'not_yet', code: found.code };
  const final = finalResultOf(found.intent);
  if (final?.kind !== 'succeeded') return { kind: 'not_yet', code: `provider_${found.intent.state}` };
  // Only where the database still had the payment, and lost what came after: another amount than ours is not booked.
  if (contradicts(payment, found.intent)) return { kind: 'not_yet', code: 'contradictory' };
  try {
    return await db.$transaction(async (tx): Promise<LostBooking> => {
      await lockPayment(tx, payment);
      if (!(await closeAsBooked(tx, tenantId, exceptionId, decision))) return { kind: 'not_open' };
      // Its own key may have been tried again meanwhile, and has booked it, or is about to.
      const current = await findPaymentByOperation(tx, operationOf(payment));
      if (current?.status === 'pending') throw new NotBookable('payment_pending');
      if (current?.status === 'released') {
        await store.writeRows(tx, operationOf(payment), completionRow(payment, final));
      }
      return { kind: 'booked' };
    });
  } catch (error) {
    if (error instanceof NotBookable) return { kind: 'not_yet', code: error.code };
    if (sqlState(error) === '23505') return { kind: 'reference_used' };
    throw error;
  }
}

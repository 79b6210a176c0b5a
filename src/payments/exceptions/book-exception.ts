import type { IdempotencyStore } from '#idempotency/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { bookLostPayment } from '../operations/create-payment/book-lost-payment.ts';
import { bookLostRefund } from '../operations/create-refund/book-lost-refund.ts';
import type { PaymentProvider } from '../provider.ts';
import type { ExceptionDecision, LostBooking } from './close-as-booked.ts';

/** Books a payment or refund that the provider has and our database had lost. */
export async function bookException(
  parts: {
    readonly db: PrismaClient;
    readonly store: IdempotencyStore<Prisma.TransactionClient>;
    readonly provider: PaymentProvider;
  },
  tenantId: string,
  exceptionId: string,
  decision: ExceptionDecision,
): Promise<LostBooking> {
  const exception = await parts.db.reconciliationException.findFirst({
    where: { tenantId, id: exceptionId },
    select: { refundId: true },
  });
  if (!exception) return { kind: 'not_open' };
  const book = exception.refundId === null ? bookLostPayment : bookLostRefund;
  return book(parts, tenantId, exceptionId, decision);
}

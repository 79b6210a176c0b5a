import { createPostgresStore } from '#idempotency/stores/postgres.ts';
import { createPrismaDriver } from '#idempotency/stores/prisma.ts';
import { completionRow } from '#payments/operations/create-payment/row-statements.ts';
import type { FinalResult, Payment } from '#payments/payment.ts';
import { operationOf } from '#payments/payment-rows.ts';
import type { PrismaClient } from '#prisma';

/** The final writes of a payment as production makes them, without an operation that they complete. */
export async function completePayment(
  db: PrismaClient,
  payment: Payment,
  result: FinalResult,
): Promise<void> {
  const store = createPostgresStore(createPrismaDriver(db));
  await db.$transaction((tx) => store.writeRows(tx, operationOf(payment), completionRow(payment, result)));
}

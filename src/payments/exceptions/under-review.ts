import type { Prisma } from '#prisma';
import type { PaymentStatus } from '../payment.ts';

/** A payment that ended like this took no money, as far as our books go, and gave its reference back. */
const endedUnpaid: readonly string[] = ['released', 'declined'] satisfies PaymentStatus[];

/** An operator is shown a charge that was not expected, and has not decided yet. */
const undecidedCharge = {
  status: 'open',
  intentId: { not: null },
} satisfies Prisma.ReconciliationExceptionWhereInput;

/**
 * A payment is under review while an operator is shown that it was charged, although it ended unpaid. Until they have decided
 * whether the money is kept or paid back, it holds its reference, and it is not said that nothing was charged.
 */
export const underReview = {
  status: { in: [...endedUnpaid] },
  exceptions: { some: undecidedCharge },
} satisfies Prisma.PaymentWhereInput;

/** What `isUnderReview` needs of a payment, to be read together with it. */
export const withUndecidedCharge = {
  exceptions: { where: undecidedCharge, select: { id: true }, take: 1 },
} satisfies Prisma.PaymentInclude;

export function isUnderReview(payment: {
  readonly status: string;
  readonly exceptions: readonly unknown[];
}): boolean {
  return endedUnpaid.includes(payment.status) && payment.exceptions.length > 0;
}

/** The same rule for a statement that callers share, in which `found` is an exception. */
export const isUndecidedChargeSql = `found.status = 'open' AND found.intent_id IS NOT NULL`;
export const hasEndedUnpaidSql = `payment.status IN (${endedUnpaid.map((status) => `'${status}'`).join(', ')})`;

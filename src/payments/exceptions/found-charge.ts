import type { OperationRef } from '#idempotency/index.ts';
import type { Prisma } from '#prisma';
import type { Payment, PaymentStatus } from '../payment.ts';

/** A payment that ended like this took no money, as far as our books go, and gave its reference back. */
const endedUnpaid: readonly string[] = ['released', 'declined'] satisfies PaymentStatus[];

/**
 * What becomes of a charge that is found although its payment had ended unpaid, by the status of its exception. If there are
 * several, the first of these counts.
 *
 * - `under_review`: an operator is shown it, and has not decided yet.
 * - `kept`: the operator has decided that the shop keeps it. What it is for counts as paid.
 * - `sent_back`: it was paid back.
 *
 * A payment that is under review or kept holds its reference: it is neither asked for nor charged again, and it is not said that
 * nothing was charged. No index knows this; the claim reads it.
 */
const foundCharges = { open: 'under_review', dismissed: 'kept', refunded: 'sent_back' } as const;
const holding = ['open', 'dismissed'] as const satisfies (keyof typeof foundCharges)[];
type Holding = (typeof holding)[number];

/** A payment as its shopper is shown it. */
export type ShownStatus = PaymentStatus | (typeof foundCharges)[keyof typeof foundCharges];

/** How a payment that holds its reference stands. */
export const holderStatuses = ['pending', 'succeeded', foundCharges.open, foundCharges.dismissed] as const;

export interface ReferenceHolder {
  readonly id: string;
  readonly status: (typeof holderStatuses)[number];
}

/** What `shownStatusOf` needs of a payment, to be read together with it. */
export const withFoundCharges = {
  exceptions: { where: { intentId: { not: null } }, select: { status: true } },
} satisfies Prisma.PaymentInclude;

export function shownStatusOf(payment: {
  readonly status: string;
  readonly exceptions: readonly { readonly status: string }[];
}): ShownStatus {
  if (endedUnpaid.includes(payment.status)) {
    for (const [status, shown] of Object.entries(foundCharges)) {
      if (payment.exceptions.some((found) => found.status === status)) return shown;
    }
  }
  return payment.status as PaymentStatus;
}

/** Whether the provider has money of it that our books do not expect, and that was not paid back. */
export function holdsFoundCharge(payment: Parameters<typeof shownStatusOf>[0]): boolean {
  const shown: string = shownStatusOf(payment);
  return holding.some((status) => foundCharges[status] === shown);
}

const chargeThat = (statuses: readonly (keyof typeof foundCharges)[]) =>
  ({
    status: { in: [...endedUnpaid] },
    exceptions: { some: { intentId: { not: null }, status: { in: [...statuses] } } },
  }) satisfies Prisma.PaymentWhereInput;

/** A payment that holds its reference by a charge that was found. */
export const holdsByCharge = chargeThat(holding);
/** What it is for is paid, or counts as paid by a charge that the shop keeps. */
export const isPaidFor = {
  OR: [{ status: 'succeeded' }, chargeThat(['dismissed'])],
} satisfies Prisma.PaymentWhereInput;

/** The payment of another key that holds the reference by a charge that was found. */
export function findFoundCharge(
  db: Prisma.TransactionClient,
  { tenantId, id: operationId }: OperationRef,
  reference: string,
): Promise<ReferenceHolder | undefined> {
  const payment = { reference, status: { in: [...endedUnpaid] }, operationId: { not: operationId } };
  return findHolding(db, { tenantId, intentId: { not: null }, payment });
}

/** A charge of an intent that the payment does not use any more: another one would charge again. */
export function findChargeElsewhere(
  db: Prisma.TransactionClient,
  { tenantId, id: paymentId, providerIntentId = '' }: Payment,
): Promise<ReferenceHolder | undefined> {
  return findHolding(db, { tenantId, paymentId, intentId: { not: providerIntentId } });
}

async function findHolding(
  db: Prisma.TransactionClient,
  where: Prisma.ReconciliationExceptionWhereInput,
): Promise<ReferenceHolder | undefined> {
  const found = await db.reconciliationException.findMany({
    where: { ...where, status: { in: [...holding] } },
    select: { paymentId: true, status: true },
  });
  const first = found.find(({ status }) => status === 'open') ?? found[0];
  return first && { id: first.paymentId, status: foundCharges[first.status as Holding] };
}

/** The same rules for a statement that callers share, in which `found` is an exception. */
export const isHoldingChargeSql = `found.status IN (${listSql(holding)}) AND found.intent_id IS NOT NULL`;
export const hasEndedUnpaidSql = `payment.status IN (${listSql(endedUnpaid)})`;
export const foundChargeSql = `CASE found.status ${holding
  .map((status) => `WHEN '${status}' THEN '${foundCharges[status]}'`)
  .join(' ')} END`;

function listSql(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(', ');
}

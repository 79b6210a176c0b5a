import { defineProblems } from '#idempotency/index.ts';
import { consolePrefix } from '#payments/index.ts';
import type { Prisma } from '#prisma';

const numberedReference = new RegExp(`^${consolePrefix}([1-9]\\d{0,6})$`);

export interface RefundRequest {
  readonly paymentId: string;
  readonly amountMinor: number;
  /**
   * How many refunds of the payment the operator saw. Payment, number and amount name the refund, so that a second click, a
   * second tab and a second operator with the same page all mean the same one.
   */
  readonly refundsBefore: number;
  readonly reason: string;
  /** The page said that a second person decides. It is proposed then, also when the limit was raised meanwhile. */
  readonly propose?: boolean | undefined;
}

/** One live refund of a payment per reference: two amounts under one number cannot both be paid back. */
export function referenceOf({ refundsBefore }: Pick<RefundRequest, 'refundsBefore'>): string {
  return `${consolePrefix}${refundsBefore + 1}`;
}

/** Undefined: the reference is the merchant's own. */
export function refundsBeforeOf(reference: string): number | undefined {
  const number = numberedReference.exec(reference)?.[1];
  return number === undefined ? undefined : Number(number) - 1;
}

/** Refunds that were made or are under way count; one that is proven not to have happened does not. */
export async function countRefunds(
  db: Prisma.TransactionClient,
  tenantId: string,
  paymentId: string,
): Promise<number> {
  return db.refund.count({ where: { tenantId, paymentId, status: { not: 'released' } } });
}

/**
 * Whether there is another refund than those that the operator saw. The same one again is no other, while it is made or under way:
 * one that did not happen would be made now, beside the one that the operator has not seen, and one that the bank returned would be
 * called made by its stored response. A number above that of all refunds was seen by no one, and would never be outdated.
 */
export async function isOutdated(
  db: Prisma.TransactionClient,
  tenantId: string,
  request: Omit<RefundRequest, 'reason'>,
): Promise<boolean> {
  const { paymentId, amountMinor, refundsBefore } = request;
  if (refundsBefore > (await db.refund.count({ where: { tenantId, paymentId } }))) return true;
  if ((await countRefunds(db, tenantId, paymentId)) <= refundsBefore) return false;
  const same = await db.refund.findFirst({
    where: {
      tenantId,
      paymentId,
      reference: referenceOf(request),
      amountMinor,
      status: { in: ['pending', 'succeeded'] },
    },
  });
  return same === null;
}

/**
 * Whether a refund that the operator has not seen was made before this one, asked in the transaction that has reserved this one and
 * holds the lock on its payment: another that was made after `isOutdated` was asked is seen here.
 */
export async function isOvertaken(
  tx: Prisma.TransactionClient,
  tenantId: string,
  { paymentId, refundsBefore }: Pick<RefundRequest, 'paymentId' | 'refundsBefore'>,
  operationId: string,
): Promise<boolean> {
  const others = { status: { not: 'released' }, operationId: { not: operationId } };
  return (await tx.refund.count({ where: { tenantId, paymentId, ...others } })) > refundsBefore;
}

export const refundRequestProblems = defineProblems({
  refund_overtaken: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'Another refund was made first',
    explanation: 'It was made after the page of this one was opened. Nothing was paid back now.',
    action: 'Read the payment again, and decide whether another refund is still due.',
    newKey: 'safe',
  },
  refund_closed: {
    http: 409,
    trpc: 'CONFLICT',
    title: 'The approved refund was closed',
    explanation: 'A person closed it, because it was no longer wanted. Nothing was paid back.',
    action: 'Propose the refund again if it is wanted after all.',
    newKey: 'safe',
  },
});

import type { Problem } from '#idempotency/index.ts';
import { type PurchaseCheck, paymentProblems } from '#payments/index.ts';
import type { Order, Prisma } from '#prisma';

export type PayableOrder = Pick<Order, 'tenantId' | 'number' | 'amountMinor' | 'currency'>;

/**
 * The payments of an order: under its number, of its amount, in its currency. A merchant's server may pay an order too, by its
 * number, and may make a mistake: what is paid is then not this order.
 */
export function ownPayments({ tenantId, number, amountMinor, currency }: PayableOrder) {
  return { tenantId, reference: number, amountMinor, currency };
}

export function isOwnPayment(
  order: Omit<PayableOrder, 'tenantId'>,
  payment: { readonly reference: string; readonly amountMinor: bigint; readonly currency: string },
): boolean {
  return (
    payment.reference === order.number &&
    payment.amountMinor === order.amountMinor &&
    payment.currency === order.currency
  );
}

/** Letters and digits that are not mistaken for each other on the phone. */
export const numberAlphabet = '23456789ABCDEFGHJKMNPQRSTVWXYZ';
export const numberLength = 8;
const endsLikeNumber = new RegExp(`-[${numberAlphabet}]{${numberLength}}$`);

/**
 * A payment through the API under the number of an order, but not of what the order costs. It would take the order's number, and
 * the shopper could not pay any more. An order never changes, so no lock is needed; only a reference that can be the number of
 * an order costs a statement.
 */
export function createPurchaseCheck(db: Prisma.TransactionClient): PurchaseCheck {
  return async ({ tenantId, reference, amountMinor, currency }): Promise<Problem | undefined> => {
    if (!endsLikeNumber.test(reference)) return undefined;
    const order = await db.order.findUnique({
      where: { tenantId_number: { tenantId, number: reference } },
      select: { number: true, amountMinor: true, currency: true },
    });
    if (!order || isOwnPayment(order, { reference, amountMinor: BigInt(amountMinor), currency })) {
      return undefined;
    }
    return { spec: paymentProblems.order_amount_differs };
  };
}

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

type FoundOrder = Omit<PayableOrder, 'tenantId'> & { readonly cancelled: boolean };

/**
 * A payment through the API under the number of an order that is not wanted any more, or not of what the order costs. The latter
 * would take the order's number, and the shopper could not pay any more. The lock is that of `isCancelled`: the payment's row is
 * committed, so a cancellation at this moment sees it, or is waited for. Only a reference that can be the number of an order costs
 * a statement.
 */
export function createPurchaseCheck(db: Prisma.TransactionClient): PurchaseCheck {
  return async ({ tenantId, reference, amountMinor, currency }): Promise<Problem | undefined> => {
    if (!endsLikeNumber.test(reference)) return undefined;
    const [order] = await db.$queryRaw<FoundOrder[]>`
      SELECT number, amount_minor AS "amountMinor", currency, cancelled_at IS NOT NULL AS cancelled
      FROM shop_order WHERE tenant_id = ${tenantId} AND number = ${reference} FOR SHARE`;
    if (order?.cancelled) return { spec: paymentProblems.order_cancelled };
    if (!order || isOwnPayment(order, { reference, amountMinor: BigInt(amountMinor), currency })) {
      return undefined;
    }
    return { spec: paymentProblems.order_amount_differs };
  };
}

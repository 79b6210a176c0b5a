import { money } from '#payments/money.ts';
import type { DescribePurchase } from '#payments/outbox/index.ts';

/** What was ordered, for the e-mails about its payment. */
export function createDescribePurchase(publicUrl: string): DescribePurchase {
  return async (tx, tenantId, reference) => {
    const order = await tx.order.findUnique({
      where: { tenantId_number: { tenantId, number: reference } },
      include: { lines: { orderBy: { name: 'asc' } } },
    });
    if (!order) return undefined;
    return {
      orderedAt: order.createdAt,
      orderUrl: `${publicUrl}/orders/${order.id}`,
      lines: order.lines.map((line) => ({
        name: line.name,
        quantity: line.quantity,
        amount: money(line.unitAmountMinor * BigInt(line.quantity), order.currency),
      })),
    };
  };
}

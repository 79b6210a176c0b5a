import { randomUUID } from 'node:crypto';
import { openTestDatabase } from '#run/testing/open-database.ts';

/** A shop with three products, and payments that are written directly in the wanted status. */
export async function openShopHarness() {
  const { db, close } = await openTestDatabase();
  const tenant = await db.organization.create({ data: { id: randomUUID(), name: 'Acme', slug: 'acme' } });
  const tenantId = tenant.id;
  const shelf = { beans: 1450n, kettle: 6900n, mug: 1800n };
  await db.product.createMany({
    data: Object.entries(shelf).map(([slug, amountMinor], position) => ({
      tenantId,
      slug,
      name: slug,
      description: '',
      amountMinor,
      currency: 'eur',
      art: slug,
      position,
    })),
  });

  async function pay(
    orderId: string,
    status: 'pending' | 'succeeded' | 'declined' | 'released',
    over: { readonly amountMinor?: bigint; readonly currency?: string } = {},
  ): Promise<string> {
    const order = await db.order.findUniqueOrThrow({ where: { id: orderId } });
    const { id } = await db.payment.create({
      data: {
        id: randomUUID(),
        tenantId,
        operationId: randomUUID(),
        reference: order.number,
        amountMinor: order.amountMinor,
        currency: order.currency,
        paymentMethod: 'pm_card_visa',
        status,
        completedAt: status === 'succeeded' || status === 'declined' ? new Date() : null,
        declineCode: status === 'declined' ? 'insufficient_funds' : null,
        ...over,
      },
    });
    return id;
  }

  return { db, tenantId, pay, close };
}

export type ShopHarness = Awaited<ReturnType<typeof openShopHarness>>;

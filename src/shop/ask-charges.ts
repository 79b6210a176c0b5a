import type { ProviderCharge } from '#payments/index.ts';
import { createRateLimitStorage } from '#server/rate-limit.ts';
import type { House } from '#server/services.ts';

type Charge = Omit<ProviderCharge, 'createdAt'> & { readonly createdAt: string };

export type AskedCharges =
  | { readonly kind: 'answered'; readonly charges: readonly Charge[]; readonly askedAt: string }
  | { readonly kind: 'silent' };

/** How often the order was charged, by the only books that can say so: the provider's. Undefined: no such order. */
export async function askCharges(house: House, orderId: string): Promise<AskedCharges | undefined> {
  const { db, provider, log } = house;
  const order = await db.order.findUnique({ where: { id: orderId } });
  if (!order) return undefined;
  const { tenantId, number: reference } = order;
  const payments = await db.payment.findMany({
    where: { tenantId, reference, providerIntentId: { not: null } },
    select: { providerIntentId: true },
  });
  // The address of an order is all it takes to ask: somebody who keeps asking is not to use up the provider's patience.
  const { allowed } = await createRateLimitStorage(db).consume(`charges ${orderId}`, { window: 60, max: 30 });
  if (!allowed) return { kind: 'silent' };
  const intentIds = payments.flatMap(({ providerIntentId }) => providerIntentId ?? []);
  const asked = await provider.findCharges({ tenantId, reference, intentIds });
  if (asked.kind === 'answered') {
    const charges = asked.charges.map((one) => ({ ...one, createdAt: one.createdAt.toISOString() }));
    return { kind: 'answered', charges, askedAt: new Date().toISOString() };
  }
  log.warn(
    { tenantId, orderId, kind: asked.kind, code: asked.code },
    'the provider did not say what it charged',
  );
  return { kind: 'silent' };
}

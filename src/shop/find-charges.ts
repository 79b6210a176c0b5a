import type { Logger } from 'pino';
import type { PaymentProvider, ProviderCharge } from '#payments/index.ts';
import type { Prisma } from '#prisma';

type Charge = Omit<ProviderCharge, 'createdAt' | 'card'> & {
  readonly createdAt: string;
  readonly card: NonNullable<ProviderCharge['card']> | null;
};

export type OrderCharges =
  | { readonly kind: 'responded'; readonly charges: Charge[]; readonly askedAt: string }
  | { readonly kind: 'unavailable' };

interface Parts {
  readonly db: Prisma.TransactionClient;
  readonly provider: Pick<PaymentProvider, 'findCharges'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly rateLimit: {
    consume(
      key: string,
      limit: { window: number; max: number; cost: number },
    ): Promise<{ readonly allowed: boolean }>;
  };
  /** Reads of orders leave connections for others. */
  inTurn<T>(read: () => Promise<T>): Promise<T>;
}

interface Question {
  readonly tenantId: string;
  readonly reference: string;
  readonly intentIds: readonly string[];
}

/**
 * The order's charges, as the provider lists them. Undefined: no such order. For an order without a payment the provider is
 * not asked: anyone can place such orders, without a limit, and would use up what the provider allows us.
 */
export async function findCharges(parts: Parts, orderId: string): Promise<OrderCharges | undefined> {
  const { provider, log } = parts;
  const question = await parts.inTurn(() => questionAbout(parts, orderId));
  if (question === undefined) return undefined;
  if (question === 'not_asked') return { kind: 'unavailable' };
  const result = await provider.findCharges(question);
  if (result.kind === 'responded') {
    const charges = result.charges.map((one) => ({
      ...one,
      card: one.card ?? null,
      createdAt: one.createdAt.toISOString(),
    }));
    return { kind: 'responded', charges, askedAt: new Date().toISOString() };
  }
  log.warn(
    { tenantId: question.tenantId, orderId, kind: result.kind, code: result.code },
    'the provider did not list its charges',
  );
  return { kind: 'unavailable' };
}

async function questionAbout(
  { db, rateLimit }: Parts,
  orderId: string,
): Promise<Question | 'not_asked' | undefined> {
  const order = await db.order.findUnique({ where: { id: orderId } });
  if (!order) return undefined;
  const { tenantId, number: reference } = order;
  const payments = await db.payment.findMany({
    where: { tenantId, reference },
    select: { providerIntentId: true },
  });
  if (payments.length === 0) return 'not_asked';
  const intentIds = payments.flatMap(({ providerIntentId }) => providerIntentId ?? []);
  // The order's address is enough to ask, so the number of requests to the provider is limited: a search, and one for each intent.
  const cost = 1 + intentIds.length;
  const { allowed } = await rateLimit.consume(`charges ${order.id}`, { window: 60, max: 60, cost });
  return allowed ? { tenantId, reference, intentIds } : 'not_asked';
}

import {
  failRefund,
  findRefundByOperation,
  type PaymentProvider,
  type RefundRequest,
} from '#payments/index.ts';
import type { PrismaClient } from '#prisma';
import { ProviderSilent } from './provider-trouble.ts';

interface Parts {
  readonly db: PrismaClient;
  readonly provider: PaymentProvider;
}

/**
 * A bank may send a refund back days after it was paid: the account is closed, the card is gone. Until somebody is told,
 * the books say that the shopper has the money, and the shopper does not. The hint is a webhook; what is believed is the
 * provider's answer now. Throws when it gave no word: nobody else will ask, so whoever had the hint has to come again.
 */
export async function followRefund(parts: Parts, operationId: string): Promise<string | undefined> {
  const refund = await findRefundByOperation(parts.db, operationId);
  if (!refund) return followLateTruth(parts, operationId);
  const intentId = refund.payment.providerIntentId;
  if (refund.status !== 'succeeded' || !intentId) return undefined;
  if ((await stateOf(parts.provider, { ...refund, intentId })) !== 'failed') return undefined;
  const failed = await parts.db.$transaction((tx) => failRefund(tx, refund));
  return failed ? 'refund_failed' : undefined;
}

/** What was in no books was sent back under the late truth's own name: there is no operation that would follow it. */
async function followLateTruth({ db, provider }: Parts, id: string): Promise<string | undefined> {
  const late = await db.lateTruth.findFirst({
    where: { id, intentId: { not: null }, decidedBy: { not: null }, status: { in: ['open', 'refunded'] } },
    include: { payment: { select: { amountMinor: true } } },
  });
  if (!late?.intentId) return undefined;
  const { tenantId, generation, intentId } = late;
  const amountMinor = Number(late.payment.amountMinor);
  const state = await stateOf(provider, { operationId: id, tenantId, generation, intentId, amountMinor });
  if (late.status === 'open' && state === 'succeeded') {
    const closed = await db.$executeRaw`
      UPDATE late_truth SET status = 'refunded', decided_at = clock_timestamp()
      WHERE id = ${id}::uuid AND status = 'open' AND generation = ${generation}::int`;
    return closed === 1 ? 'late_truth_refunded' : undefined;
  }
  if (late.status === 'refunded' && state === 'failed') {
    // A person is asked again, and the next try is a new one.
    const reopened = await db.$executeRaw`
      UPDATE late_truth SET status = 'open', generation = generation + 1, decided_at = NULL, decided_by = NULL,
        decision_reason = NULL
      WHERE id = ${id}::uuid AND status = 'refunded' AND generation = ${generation}::int`;
    return reopened === 1 ? 'refund_failed' : undefined;
  }
  return undefined;
}

/** Undefined: it lists none, which proves nothing. */
async function stateOf(provider: PaymentProvider, request: RefundRequest) {
  const asked = await provider.findRefund(request);
  if (!asked || (asked.kind !== 'answered' && asked.code === 'resource_missing')) return undefined;
  if (asked.kind !== 'answered') throw new ProviderSilent(asked.code);
  return asked.refund.state;
}

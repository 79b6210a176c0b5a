import type { Engine } from '#idempotency/index.ts';
import { type ExceptionRefund, isBooked, type PaymentProvider, refundException } from '#payments/index.ts';
import type { Prisma, PrismaClient } from '#prisma';
import { type Actor, actorOf, writeAuditEntry } from '../audit/write-audit-entry.ts';
import { readRefundLimits, refundedAlone } from '../refunds/refund-limits.ts';

type Tx = Prisma.TransactionClient;

interface Services {
  readonly db: PrismaClient;
  readonly engine: Engine<Tx>;
  readonly provider: PaymentProvider;
}

/** Rolls the decision back. */
class AboveLimit extends Error {}

/**
 * An operator gives the money of an exception back. Above the tenant's limit a payment in the books is refunded on its own page, where
 * it is proposed to a second person. Money that was never booked is not the shop's to keep, and a refund that the bank returned has
 * been decided before.
 */
export async function refundAsOperator(
  services: Services,
  person: Actor,
  { id, reason }: { readonly id: string; readonly reason: string },
): Promise<ExceptionRefund> {
  try {
    return await refundException(services, person.tenantId, id, {
      actor: actorOf(person),
      reason,
      writes: async (tx) => {
        if (await isOfLargePayment(tx, person.tenantId, id)) throw new AboveLimit();
        await writeAuditEntry(tx, person, {
          action: 'exception.refund',
          subject: { type: 'exception', id },
          reason,
        });
      },
    });
  } catch (error) {
    if (error instanceof AboveLimit) return { kind: 'not_yet', code: 'above_limit' };
    throw error;
  }
}

async function isOfLargePayment(tx: Tx, tenantId: string, id: string): Promise<boolean> {
  const { payment, ...exception } = await tx.reconciliationException.findUniqueOrThrow({
    where: { tenantId_id: { tenantId, id } },
    include: { payment: true },
  });
  if (exception.refundId !== null || !isBooked(exception, payment)) return false;
  const limit = (await readRefundLimits(tx, tenantId)).find(({ currency }) => currency === payment.currency);
  if (!limit) return false;
  const left = Number(payment.amountMinor - payment.refundedMinor);
  return left + (await refundedAlone(tx, tenantId, payment.id)) > limit.amountMinor;
}
